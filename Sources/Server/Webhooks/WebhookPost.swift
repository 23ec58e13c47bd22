import AsyncHTTPClient
package import Foundation
package import Management
import NIOCore
import NIOHTTP1
package import NIOSSL

/// Sends requests to webhooks: within a time, to no address but one that was judged, and without following redirections.
///
/// A client is bound to the address that was judged for it: what the name comes to mean between look and connection is of
/// no effect. It is kept as long as its webhook's name still stands for that address.
package actor WebhookPost {
    /// What a receiver answers is not looked at, and taken to its end only to use the connection again.
    private static let largestAnswer = 16 * 1_024

    private struct Line {
        let host: String
        let address: String
        let http: HTTPClient
    }

    private let policy: AddressPolicy
    private let roots: [NIOSSLCertificate]
    private let patience: TimeAmount
    private let resolve: @Sendable (String) async -> [HostAddresses.Address]
    /// By the numbers of the webhooks, each of which is sent one request at a time.
    private var lines: [Int: Line] = [:]

    /// `roots` are trusted beside the system's.
    package init(
        _ policy: AddressPolicy, roots: [NIOSSLCertificate] = [], patience: TimeInterval = 15,
        resolve: @escaping @Sendable (String) async -> [HostAddresses.Address] = HostAddresses.of
    ) {
        self.policy = policy
        self.roots = roots
        self.patience = .milliseconds(Int64(patience * 1_000))
        self.resolve = resolve
    }

    package func send(_ request: WebhookRequest) async -> WebhookAnswer {
        // The client looks the judged address up by the name that it reads out of the URL itself. If that is another name
        // than the one that is judged here, it would ask a resolver again, and connect to whatever that answers.
        guard let host = Self.connectedHost(of: request.address.text), host == request.address.host else {
            return .fault(.notAllowed)
        }
        let found = await resolve(host)
        guard !found.isEmpty else { return .fault(.unresolved) }
        let allowed = found.filter { policy.mayReach($0.bytes, inTheClear: request.address.isPlain) }
        guard !allowed.isEmpty else { return .fault(.notAllowed) }
        // The next one if the first does not answer.
        let chosen = allowed[request.work.failures % allowed.count]
        let http = await client(for: request, at: chosen.text)
        var wire = HTTPClientRequest(url: request.address.text)
        wire.method = .POST
        for (name, value) in request.headers { wire.headers.add(name: name, value: value) }
        wire.body = .bytes(ByteBuffer(bytes: request.body))
        do {
            let answer = try await http.execute(wire, timeout: patience)
            _ = try? await answer.body.collect(upTo: Self.largestAnswer)
            let pause = answer.headers.first(name: "Retry-After").flatMap { TimeInterval($0) }
            return .status(Int(answer.status.code), retryAfter: pause.flatMap { $0 >= 0 ? $0 : nil })
        } catch {
            return .fault(Self.fault(error))
        }
    }

    /// The name that the client connects to for a URL, read as the client reads it.
    static func connectedHost(of url: String) -> String? {
        guard let host = URL(string: url)?.host, !host.isEmpty else { return nil }
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The webhooks to whose receivers there may be connections.
    package var openLines: [Int] { lines.keys.sorted() }

    /// Ends what belongs to webhooks that are there no more.
    package func keep(only numbers: Set<Int>) async {
        for number in lines.keys where !numbers.contains(number) {
            try? await lines.removeValue(forKey: number)?.http.shutdown()
        }
    }

    package func shutdown() async { await keep(only: []) }

    private func client(for request: WebhookRequest, at address: String) async -> HTTPClient {
        let (number, host) = (request.work.webhook, request.address.host)
        if let line = lines[number], line.host == host, line.address == address { return line.http }
        if let old = lines.removeValue(forKey: number) { try? await old.http.shutdown() }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = roots.isEmpty ? [] : [.certificates(roots)]
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout = .init(connect: patience, read: patience)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = [host: address]
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        lines[number] = Line(host: host, address: address, http: http)
        return http
    }

    private static func fault(_ error: any Error) -> WebhookFault {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .untrusted
        case let error as HTTPClientError
        where [.connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout].contains(error):
            .timeout
        case is HTTPClientError, is HTTPParserError: .broken
        default: .unreachable
        }
    }
}
