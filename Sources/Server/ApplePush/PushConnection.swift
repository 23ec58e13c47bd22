import AsyncHTTPClient
import Foundation
import InputBounds
import Management
import NIOCore
import NIOHTTP1
package import NIOSSL

/// Where pushes go.
package struct PushService: Sendable {
    /// Without a slash at the end.
    package let url: String
    /// Trusted in the place of the system's authorities, if there are any.
    package let roots: [NIOSSLCertificate]

    /// Apple's own.
    package static let apple = PushService(url: "https://api.push.apple.com", roots: [])

    package init(url: String, roots: [NIOSSLCertificate]) {
        self.url = url
        self.roots = roots
    }
}

/// Sends pushes with one credential, over HTTP/2.
actor PushConnection {
    /// The largest answer that is read, in bytes.
    private static let largestAnswer = 4 * 1_024
    /// For how many seconds the push service keeps a push for a device that is not connected.
    private static let keeping = 7 * 86_400

    private let service: PushService
    private let topic: String
    private let http: HTTPClient
    private let patience: TimeAmount
    private var token: ProviderToken?

    init(_ service: PushService, _ setup: PushSetup, patience: Duration) throws {
        self.service = service
        topic = setup.topic
        self.patience = .nanoseconds(Int64(patience / .nanoseconds(1)))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !service.roots.isEmpty { tls.trustRoots = .certificates(service.roots) }
        switch setup.credential {
        case .certificate(let chain, let key):
            tls.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)).map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        case .token(let key, let keyID, let teamID):
            token = try ProviderToken(key: key, keyID: keyID, teamID: teamID)
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout = .init(connect: self.patience, read: self.patience)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .automatic
        configuration.connectionPool.retryConnectionEstablishment = false
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ target: PushTarget, now: Date) async -> PushAnswer {
        do {
            let answer = try await http.execute(try request(target, now), timeout: patience)
            let body = try await answer.body.collect(upTo: Self.largestAnswer)
            guard answer.version == .http2 else {
                return .later("the push service does not speak HTTP/2", retryAfter: nil)
            }
            return PushAnswer(
                status: Int(answer.status.code), body: Data(body.readableBytesView),
                retryAfter: answer.headers.first(name: "Retry-After").flatMap { TimeInterval($0) })
        } catch {
            return .later(Self.text(of: error), retryAfter: nil)
        }
    }

    func shutdown() async { try? await http.shutdown() }

    private func request(_ target: PushTarget, _ now: Date) throws -> HTTPClientRequest {
        let token = target.token.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var request = HTTPClientRequest(url: "\(service.url)/3/device/\(token)")
        request.method = .POST
        request.headers.add(name: "apns-topic", value: topic)
        request.headers.add(name: "apns-push-type", value: "mdm")
        request.headers.add(name: "apns-priority", value: "10")
        request.headers.add(
            name: "apns-expiration", value: "\(Int(now.timeIntervalSince1970) + Self.keeping)")
        if self.token != nil, let text = try self.token?.text(now) {
            request.headers.add(name: "authorization", value: "bearer \(text)")
        }
        let payload = JSONValue.object(["mdm": .string(target.pushMagic)]).encoded()
        request.body = .bytes(ByteBuffer(bytes: payload))
        return request
    }

    /// Names the rule; what a peer wrote is not repeated.
    private static func text(of error: any Error) -> String {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: "TLS with the push service failed"
        case let error as HTTPClientError
        where [.connectTimeout, .readTimeout, .deadlineExceeded, .tlsHandshakeTimeout].contains(error):
            "the push service did not answer in time"
        default: "the push service cannot be reached"
        }
    }
}
