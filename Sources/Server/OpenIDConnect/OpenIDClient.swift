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
/// All answers have bounds and timeouts, redirects are not followed, and its metadata and keys are kept for a while.
/// Keys change: a token that none of those kept has signed makes it look once more, at most once a minute.
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
    /// When it looked for keys although it had some.
    private var looked: Date?
    /// How the provider took the client's secret before.
    private var authentication: ClientAuthentication?

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
    ///
    /// `issuer` is whose answer the code came with, as far as the answer says so (RFC 9207). Where `isUndecided` says that
    /// the token's claims leave open who the person is here, the user info endpoint is asked for more.
    package func redeem(
        code: String, of attempt: SignInAttempt, answeredBy issuer: String?,
        isUndecided: @Sendable (PersonClaims) -> Bool
    ) async throws(OpenIDRefusal) -> IdentityToken {
        let metadata = try await present()
        guard issuer != nil || !metadata.namesItself else {
            throw OpenIDRefusal.issuer.because("the provider's answer lacks “iss”, which its metadata announces")
        }
        if let issuer, !issuer.utf8.elementsEqual(metadata.issuer.utf8) {
            throw OpenIDRefusal.issuer.because("“iss” of the provider's answer is not the “issuer” of its metadata")
        }
        let answer = try await exchange(code, of: attempt, at: metadata)
        let expected = IdentityToken.Expectation(
            issuer: metadata.issuer, client: provider.client, nonce: attempt.nonce)
        let token = try await judged(answer.identityToken, expected)
        // Core 5.4: claims of the scopes email and profile may be there alone.
        guard let place = metadata.userInfo, let access = answer.accessToken, isUndecided(token.claims) else {
            return token
        }
        return try token.completed(by: try await userInfo(at: place, access))
    }

    package func shutdown() async { try? await http.shutdown() }

    private func judged(
        _ text: String, _ expected: IdentityToken.Expectation
    ) async throws(OpenIDRefusal) -> IdentityToken {
        let kept = keys.flatMap { isYoung($0.time, Self.keysSeconds) ? $0.value : nil }
        guard let kept else {
            return try await IdentityToken(parsing: text, keys: try await freshKeys(), expected: expected, now: now())
        }
        do throws(OpenIDRefusal) {
            return try await IdentityToken(parsing: text, keys: kept, expected: expected, now: now())
        } catch {
            let isTooSoon = looked.map { isYoung($0, Self.secondsBetweenLooks) } ?? false
            guard error.kind == .signature, !isTooSoon else { throw error }
        }
        looked = now()
        return try await IdentityToken(parsing: text, keys: try await freshKeys(), expected: expected, now: now())
    }

    /// Exchanges the code, in each way to show the secret that may be the one.
    private func exchange(
        _ code: String, of attempt: SignInAttempt, at metadata: ProviderMetadata
    ) async throws(OpenIDRefusal) -> TokenAnswer {
        let hasSecret = provider.secret != nil
        var choices = try ClientAuthentication.choices(
            announced: metadata.clientAuthentications, hasSecret: hasSecret)
        if let authentication, let index = choices.firstIndex(of: authentication) { choices.swapAt(0, index) }
        var (status, body): (UInt, Data) = (0, Data())
        for choice in choices {
            (status, body) = try await send(tokenRequest(code, of: attempt, at: metadata.token, by: choice))
            guard TokenAnswer.isUnknownClient(status: status, body: body) else {
                if status == 200 { authentication = choice }
                break
            }
        }
        return try TokenAnswer(status: status, body: body, hasSecret: hasSecret)
    }

    private func tokenRequest(
        _ code: String, of attempt: SignInAttempt, at place: URL, by choice: ClientAuthentication
    ) -> HTTPClientRequest {
        let parts = choice.parts(client: provider.client, secret: provider.secret)
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", provider.redirect),
            ("code_verifier", attempt.verifier),
        ]
        var request = HTTPClientRequest(url: place.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let authorization = parts.authorization { request.headers.add(name: "Authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(string: FormText.encode(form + parts.form)))
        return request
    }

    private func userInfo(at place: URL, _ access: String) async throws(OpenIDRefusal) -> Data {
        var request = HTTPClientRequest(url: place.absoluteString)
        request.headers.add(name: "Authorization", value: "Bearer \(access)")
        let (status, body) = try await send(request)
        guard status == 200 else { throw OpenIDRefusal.userInfo.because("it answered with status \(status)") }
        return body
    }

    /// Whether something of that time still counts; what is of a later one was kept by a clock that was ahead.
    private func isYoung(_ time: Date, _ seconds: TimeInterval) -> Bool {
        (0..<seconds).contains(now().timeIntervalSince(time))
    }

    private func present() async throws(OpenIDRefusal) -> ProviderMetadata {
        if let metadata, isYoung(metadata.time, Self.metadataSeconds) { return metadata.value }
        let document = try await read(
            ProviderMetadata.address(of: provider.issuer), "its metadata; compare oidcIssuer with what it calls itself")
        guard let json = try? JSONValue(parsing: document, limits: IdentityToken.limits) else {
            throw OpenIDRefusal.metadata.because("it is not JSON; compare oidcIssuer with what it calls itself")
        }
        let value = try ProviderMetadata(parsing: json, issuer: provider.issuer)
        metadata = (value, now())
        return value
    }

    private func freshKeys() async throws(OpenIDRefusal) -> ProviderKeys {
        let value = try ProviderKeys(parsing: await read(try await present().keys.absoluteString, "its keys"))
        keys = (value, now())
        return value
    }

    private func read(_ address: String, _ what: String) async throws(OpenIDRefusal) -> Data {
        let (status, body) = try await send(HTTPClientRequest(url: address))
        guard status == 200 else { throw OpenIDRefusal.unreachable.because("status \(status) for \(what)") }
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
