import AsyncHTTPClient
import DeviceMessages
package import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// The key and certificate by which the server knows this device.
package struct DeviceIdentity: Sendable {
    package let certificateDER: Data
    package let key: DeviceKey

    package init(certificateDER: Data, key: DeviceKey) {
        self.certificateDER = certificateDER
        self.key = key
    }
}

/// What a server answered.
package struct ServerReply: Sendable {
    package let status: Int
    package let contentType: String?
    /// How long the server wants to be left alone.
    package let retryAfter: Duration?
    package let body: Data
    private let headers: HTTPHeaders

    init(status: Int, headers: HTTPHeaders, body: Data = Data()) {
        self.status = status
        contentType = headers.first(name: "content-type")
        retryAfter = headers.first(name: "retry-after").flatMap(Self.seconds)
        self.body = body
        self.headers = headers
    }

    /// A header by its name; if it came more than once, the first.
    func header(_ name: String) -> String? { headers.first(name: name) }

    /// Whole seconds; the other form, a date, would need our clock to be theirs.
    private static func seconds(_ text: String) -> Duration? {
        guard text.utf8.count <= 9, let seconds = Int(text), seconds >= 0 else { return nil }
        return .seconds(seconds)
    }
}

/// What an enrollment by account shows its server with each request; nobody else gets to see it.
package struct AccessToken: Sendable {
    private let text: String
    private let origins: Set<String>

    /// For the servers at these addresses.
    package init(_ text: String, for addresses: [String]) {
        self.text = text
        origins = Set(addresses.compactMap { (try? ServerOrigin(of: $0))?.text })
    }

    /// The header's value, if the address is on one of the servers.
    package func authorization(for address: String) -> String? {
        guard let origin = try? ServerOrigin(of: address), origins.contains(origin.text) else { return nil }
        return "Bearer \(text)"
    }
}

/// Speaks HTTPS with one server as one device: it trusts the given roots and nothing else.
///
/// Every request has a time limit and its answer a bound. Redirections are followed with the same method and body, to
/// `https` only and never remembered.
package final class ServerConnection: Sendable {
    private static let redirectLimit = 5

    private let client: HTTPClient
    private let identity: DeviceIdentity?
    private let signs: Bool
    private let accessToken: AccessToken?
    private let allowsPlainHTTP: Bool
    private let answered: @Sendable () -> Void

    /// Connects as `identity`, if there is one; with `signs` every message carries its `Mdm-Signature`.
    ///
    /// What has no body is not signed: such a signature would be good for every other request without a body.
    ///
    /// Without roots the system's serve: for assets that need no authentication, and for other people's certificate
    /// authorities. Plain HTTP is only for messages that are signed and encrypted by themselves. With `trustsSystem` the
    /// system's roots serve beside those that are given. `answered` hears that a request has ended, one way or the other.
    package init(
        roots: [Data], identity: DeviceIdentity?, trustsSystem: Bool = false, signs: Bool = false,
        accessToken: AccessToken? = nil, allowsPlainHTTP: Bool = false, silence: Duration = .seconds(60),
        answered: @escaping @Sendable () -> Void = {}
    ) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !roots.isEmpty {
            let roots = try roots.map { try NIOSSLCertificate(bytes: Array($0), format: .der) }
            if trustsSystem {
                tls.additionalTrustRoots = [.certificates(roots)]
            } else {
                tls.trustRoots = .certificates(roots)
            }
        }
        if let identity {
            tls.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificateDER), format: .der))
            ]
            tls.privateKey = .privateKey(try identity.key.tlsKey())
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .nanoseconds(Int64(silence / .nanoseconds(1)))),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // What was received last, a secret perhaps, lies in the buffers of its connection until that ends.
        configuration.connectionPool.idleTimeout = .seconds(10)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.identity = identity
        self.signs = signs
        self.accessToken = accessToken
        self.allowsPlainHTTP = allowsPlainHTTP
        self.answered = answered
    }

    deinit { close() }

    /// Ends every connection, without waiting for the server to say goodbye: a stop must not take as long as it likes.
    package func close() { client.shutdown(queue: .global()) { _ in } }

    /// Sends one request and waits for its whole answer.
    package func send(
        _ method: String, _ url: String, contentType: String? = nil, body: Data = Data(), answerLimit: Int,
        timeLimit: Duration = .seconds(30), followsRedirects: Bool = true
    ) async throws(ServerSilence) -> ServerReply {
        defer { answered() }
        do {
            return try await withTimeLimit(timeLimit) {
                let response = try await self.open(
                    method, url, contentType: contentType, body: body, followsRedirects: followsRedirects)
                var answer = Data()
                for try await part in response.body {
                    guard answer.count + part.readableBytes <= answerLimit else { throw ServerSilence.answerTooLarge }
                    answer.append(contentsOf: part.readableBytesView)
                }
                return ServerReply(status: Int(response.status.code), headers: response.headers, body: answer)
            }
        } catch {
            throw ServerSilence(error)
        }
    }

    /// Opens a stream that the server keeps feeding, and hands each part on as it comes.
    ///
    /// Returns what was answered when the stream ends, at once if it is no success.
    package func listen(
        _ url: String, onOpen: @Sendable () -> Void, onPart: @Sendable (Data) throws -> Void
    ) async throws(ServerSilence) -> ServerReply {
        do {
            let response = try await open("GET", url, contentType: nil, body: Data())
            let reply = ServerReply(status: Int(response.status.code), headers: response.headers)
            guard response.status == .ok else { return reply }
            onOpen()
            for try await part in response.body { try onPart(Data(part.readableBytesView)) }
            return reply
        } catch {
            throw ServerSilence(error)
        }
    }

    /// Fetches what may be large, from `offset` on, and hands each part on as it comes, one after the other.
    ///
    /// `onOpen` hears the answer before its parts and says whether they are wanted. Each part is waited for as long as any
    /// answer; the whole for `timeLimit`.
    package func download(
        _ url: String, from offset: Int, timeLimit: Duration,
        onOpen: @escaping @Sendable (ServerReply) async throws -> Bool,
        onPart: @escaping @Sendable (Data) async throws -> Void
    ) async throws -> ServerReply {
        do {
            return try await withTimeLimit(timeLimit) {
                let range = offset > 0 ? "bytes=\(offset)-" : nil
                let response = try await self.open("GET", url, contentType: nil, body: Data(), range: range)
                let reply = ServerReply(status: Int(response.status.code), headers: response.headers)
                guard try await onOpen(reply) else { return reply }
                for try await part in response.body { try await onPart(Data(part.readableBytesView)) }
                return reply
            }
        } catch let refusal as InstallRefusal {
            throw refusal
        } catch {
            throw ServerSilence(error)
        }
    }

    private func open(
        _ method: String, _ url: String, contentType: String?, body: Data, range: String? = nil,
        followsRedirects: Bool = true
    ) async throws -> HTTPClientResponse {
        var address = url
        for _ in 0...Self.redirectLimit {
            let scheme = address.lowercased()
            guard scheme.hasPrefix("https://") || allowsPlainHTTP && scheme.hasPrefix("http://") else {
                throw ServerSilence.notHTTPS
            }
            var request = HTTPClientRequest(url: address)
            request.method = HTTPMethod(rawValue: method)
            request.headers.add(name: "user-agent", value: "martlet-agent/\(MartletRelease.version)")
            if let contentType { request.headers.add(name: "content-type", value: contentType) }
            if let range { request.headers.add(name: "range", value: range) }
            if let authorization = accessToken?.authorization(for: address) {
                request.headers.add(name: "authorization", value: authorization)
            }
            let hasBody = method != "GET" && method != "HEAD"
            if signs, hasBody, let identity {
                let signature = try await identity.key.signature(
                    over: body, certificateDER: identity.certificateDER)
                request.headers.add(name: "mdm-signature", value: signature.base64EncodedString())
            }
            if hasBody { request.body = .bytes(body) }
            let response = try await client.execute(request, timeout: .seconds(30))
            guard followsRedirects, [301, 302, 307, 308].contains(response.status.code),
                let location = response.headers.first(name: "location")
            else { return response }
            guard let next = URL(string: location, relativeTo: URL(string: address)) else { return response }
            address = next.absoluteString
        }
        throw ServerSilence.tooManyRedirects
    }
}

/// A wait went over its bound.
struct TimeLimitReached: Error {}

/// Runs `body`, but no longer than `limit`.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TimeLimitReached()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw TimeLimitReached() }
        return value
    }
}
