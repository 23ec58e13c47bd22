import AsyncHTTPClient
package import Foundation
import InputBounds
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL
import ServiceLifecycle

/// Speaks with the provider: its metadata, its keys and its token endpoint.
///
/// Everything it is told is bounded and timed, redirects are not followed, and its metadata and keys are kept for a while.
/// Keys change: one that is not known makes it look once more, at most once a minute.
package actor OpenIDClient {
    private static let largest = 512 * 1_024
    private static let metadataSeconds: TimeInterval = 3_600
    private static let keysSeconds: TimeInterval = 3_600
    private static let secondsBetweenLooks: TimeInterval = 60

    package nonisolated let provider: OpenIDProvider
    private let http: HTTPClient
    private let patience: TimeAmount
    private let now: @Sendable () -> Date
    private var metadata: (value: ProviderMetadata, time: Date)?
    private var keys: (value: ProviderKeys, time: Date)?

    /// Every answer is waited for as many seconds as `patience` says.
    package init(
        _ provider: OpenIDProvider, patience: TimeInterval = 10, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.provider = provider
        self.patience = .milliseconds(Int64(patience * 1_000))
        self.now = now
        var tls = TLSConfiguration.makeClientConfiguration()
        if let roots = provider.roots { tls.trustRoots = .certificates(roots) }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout = .init(connect: self.patience, read: self.patience)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Where the browser goes to sign in.
    package func address(for attempt: SignInAttempt) async throws(OpenIDRefusal) -> String {
        let metadata = try await present()
        guard var parts = URLComponents(url: metadata.authorization, resolvingAgainstBaseURL: false) else {
            throw .metadata
        }
        let query = [
            ("response_type", "code"), ("client_id", provider.client), ("redirect_uri", provider.redirect),
            ("scope", provider.scopes.joined(separator: " ")), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ]
        let own = parts.percentEncodedQuery.map { $0 + "&" } ?? ""
        parts.percentEncodedQuery = own + FormText.encode(query)
        guard let text = parts.string else { throw .metadata }
        return text
    }

    /// Exchanges the code for the person's identity token, and judges that.
    package func redeem(code: String, of attempt: SignInAttempt) async throws(OpenIDRefusal) -> IdentityToken {
        let text = try await identityToken(code, attempt)
        if let keys, keys.value.knows(keyOf: text), isYoung(keys.time, Self.keysSeconds) {
            return try await judge(text, keys.value, attempt)
        }
        return try await judge(text, try await freshKeys(), attempt)
    }

    package func shutdown() async { try? await http.shutdown() }

    private func judge(
        _ text: String, _ keys: ProviderKeys, _ attempt: SignInAttempt
    ) async throws(OpenIDRefusal) -> IdentityToken {
        try await IdentityToken(
            parsing: text, keys: keys,
            expected: .init(issuer: provider.issuer, client: provider.client, nonce: attempt.nonce), now: now())
    }

    private func identityToken(_ code: String, _ attempt: SignInAttempt) async throws(OpenIDRefusal) -> String {
        let metadata = try await present()
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", provider.redirect),
            ("code_verifier", attempt.verifier),
        ]
        var request = HTTPClientRequest(url: metadata.token.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let secret = provider.secret {
            // RFC 6749 §2.3.1: each part is encoded before the two are joined.
            let pair = "\(FormText.encode(provider.client)):\(FormText.encode(secret))"
            request.headers.add(name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())")
        } else {
            form.append(("client_id", provider.client))
        }
        request.body = .bytes(ByteBuffer(string: FormText.encode(form)))
        let (status, body) = try await send(request)
        guard status == 200 else { throw .code }
        guard let answer = try? JSONValue(parsing: body, limits: IdentityToken.limits),
            let token = answer["id_token"]?.string
        else { throw .malformed }
        return token
    }

    /// Whether something of that time still counts; what is of a later one was kept by a clock that was ahead.
    private func isYoung(_ time: Date, _ seconds: TimeInterval) -> Bool {
        (0..<seconds).contains(now().timeIntervalSince(time))
    }

    private func present() async throws(OpenIDRefusal) -> ProviderMetadata {
        if let metadata, isYoung(metadata.time, Self.metadataSeconds) { return metadata.value }
        let document = try await read(ProviderMetadata.address(of: provider.issuer))
        guard let json = try? JSONValue(parsing: document, limits: IdentityToken.limits) else { throw .metadata }
        let value = try ProviderMetadata(parsing: json, issuer: provider.issuer)
        metadata = (value, now())
        return value
    }

    /// The keys as they are now; those of a moment ago where it was asked then.
    private func freshKeys() async throws(OpenIDRefusal) -> ProviderKeys {
        if let keys, isYoung(keys.time, Self.secondsBetweenLooks) { return keys.value }
        let value = try ProviderKeys(parsing: await read(try await present().keys.absoluteString))
        keys = (value, now())
        return value
    }

    private func read(_ address: String) async throws(OpenIDRefusal) -> Data {
        let (status, body) = try await send(HTTPClientRequest(url: address))
        guard status == 200 else { throw .unreachable }
        return body
    }

    private func send(_ request: HTTPClientRequest) async throws(OpenIDRefusal) -> (UInt, Data) {
        var request = request
        request.headers.add(name: "Accept", value: "application/json")
        do {
            let answer = try await http.execute(request, timeout: patience)
            let body = try await answer.body.collect(upTo: Self.largest)
            return (answer.status.code, Data(body.readableBytesView))
        } catch {
            throw .unreachable
        }
    }
}

/// Ends the client's connections when the server stops.
package struct OpenIDClientLife: Service {
    private let client: OpenIDClient

    package init(_ client: OpenIDClient) { self.client = client }

    package func run() async throws {
        try? await gracefulShutdown()
        await client.shutdown()
    }
}

/// `application/x-www-form-urlencoded`, as both queries and bodies have it.
enum FormText {
    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
}
