import CertificateAuthority
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import Management
@testable import Webhooks

/// What goes over the wire to webhooks, and where it does not go.
@Suite struct WebhookPostTests {
    /// Sends a request of a webhook's to an address as the rules of a server would.
    private func send(
        _ url: String, policy: AddressPolicy = .loopback, roots: [NIOSSLCertificate] = [], patience: TimeInterval = 600,
        resolve: @escaping @Sendable (String) async -> [HostAddresses.Address] = HostAddresses.of
    ) async throws -> WebhookAnswer {
        let address = try WebhookAddress(parsing: url, policy)
        return try await send(to: address, policy: policy, roots: roots, patience: patience, resolve: resolve)
    }

    private func send(
        to address: WebhookAddress, policy: AddressPolicy = .loopback, roots: [NIOSSLCertificate] = [],
        patience: TimeInterval = 600,
        resolve: @escaping @Sendable (String) async -> [HostAddresses.Address] = HostAddresses.of
    ) async throws -> WebhookAnswer {
        let entry = AuditEntryOf.group
        let work = WebhookWork(
            webhook: 1, name: "w", url: address.text, failures: 0, event: .entry(entry), secrets: [])
        let request = WebhookRequest(
            work: work, address: address,
            headers: [("content-type", "application/json"), ("webhook-id", "a")], body: Data("{}".utf8))
        let post = WebhookPost(policy, roots: roots, patience: patience, resolve: resolve)
        let answer = await post.send(request)
        await post.shutdown()
        return answer
    }

    private enum AuditEntryOf {
        static let group = AuditEntry(
            after: nil, time: Date(timeIntervalSince1970: 1), actor: "a", action: .createGroup, subject: "g",
            details: "{}")
    }

    @Test func anEventIsPostedWithItsHeaders() async throws {
        try await WebhookReceiver.run { (receiver) async throws in
            #expect(try await send(receiver.url + "a?b=c") == .status(204))
            let event = try #require(receiver.events.first)
            #expect(event.path == "/a" && event.body == Data("{}".utf8))
            #expect(event.headers["webhook-id"] == "a" && event.headers["content-type"] == "application/json")
        }
    }

    @Test func aRedirectionIsNotFollowed() async throws {
        try await WebhookReceiver.run(
            answer: { _, event in
                event.path == "/a"
                    ? Response(status: .temporaryRedirect, headers: [.location: "/b"]) : Response(status: .ok)
            },
            { (receiver) async throws in
                #expect(try await send(receiver.url + "a") == .status(307))
                #expect(receiver.events.map(\.path) == ["/a"])
            })
    }

    /// A name that stands for an address that is not allowed, at the moment of the connection, is not connected to.
    @Test func whereANameLeadsIsJudgedWhenItIsConnectedTo() async throws {
        try await WebhookReceiver.run { (receiver) async throws in
            let url = "http://localhost:\(receiver.port)/"
            let none = try await send(url, policy: AddressPolicy())
            #expect(none == .fault(.notAllowed))
            let elsewhere = try await send(url) { _ in ["10.9.8.7", "::1"].compactMap { .init($0) } }
            #expect(elsewhere == .fault(.notAllowed))
            #expect(receiver.events.isEmpty)
            // Of several the one that is allowed, and exactly that one.
            let mixed = try await send(url) { _ in ["169.254.169.254", "127.0.0.1"].compactMap { .init($0) } }
            #expect(mixed == .status(204) && receiver.events.count == 1)
            #expect(receiver.events.first?.headers["host"]?.hasPrefix("localhost") != false)
        }
    }

    /// A2: the name that is judged is the name that is connected to, in the one form that it has on the wire.
    @Test func anInternationalizedNameIsJudgedAndConnectedToAsOneName() async throws {
        let asked = Mutex<[String]>([])
        try await WebhookReceiver.run { (receiver) async throws in
            let url = "http://xn--bcher-kva.test:\(receiver.port)/"
            let reachable = AddressPolicy(allowed: AddressPolicy.loopback.allowed, allowsPlainHTTP: true)
            let answer = try await send(url, policy: reachable) { name in
                asked.withLock { $0.append(name) }
                return ["127.0.0.1"].compactMap { .init($0) }
            }
            #expect(answer == .status(204))
            #expect(receiver.events.count == 1)
            #expect(receiver.events.first?.headers["host"]?.hasPrefix("xn--bcher-kva.test") != false)
            let elsewhere = try await send(url, policy: reachable) { _ in ["10.9.8.7"].compactMap { .init($0) } }
            #expect(elsewhere == .fault(.notAllowed))
            #expect(receiver.events.count == 1)
        }
        #expect(asked.withLock { $0 } == ["xn--bcher-kva.test"])
    }

    /// A2: the other form of the same name, and forms that are read in two ways, are no addresses of webhooks.
    @Test(arguments: ["https://bücher.test/", "https://b%C3%BCcher.test/", "https://loc%61lhost/"])
    func aNameThatIsReadInTwoWaysIsRefused(url: String) async throws {
        await #expect(throws: AdminRefusal.self) { try await send(url) { _ in ["127.0.0.1"].compactMap { .init($0) } } }
    }

    /// A2: the client reads the name out of the URL that was judged as the rules do.
    @Test(
        arguments: [
            "https://hooks.example.com/a?b=c", "https://xn--bcher-kva.test:8443/", "https://93.184.216.34/",
            "https://[2606:4700::1111]:8443/",
        ])
    func theClientReadsTheNameThatWasJudged(url: String) throws {
        let address = try WebhookAddress(parsing: url, AddressPolicy())
        #expect(WebhookPost.connectedHost(of: address.text) == address.host)
    }

    /// A2: should they ever read a URL in two ways, no name is looked up and nothing is sent.
    @Test func aURLThatIsReadInTwoWaysIsNotSentTo() async throws {
        let asked = Mutex<[String]>([])
        try await WebhookReceiver.run { (receiver) async throws in
            let address = WebhookAddress(
                text: "http://localhost:\(receiver.port)/", host: "judged.test", isPlain: true)
            let reachable = AddressPolicy(allowed: AddressPolicy.loopback.allowed, allowsPlainHTTP: true)
            let answer = try await send(to: address, policy: reachable) { name in
                asked.withLock { $0.append(name) }
                return ["127.0.0.1"].compactMap { .init($0) }
            }
            #expect(answer == .fault(.notAllowed) && receiver.events.isEmpty)
        }
        #expect(asked.withLock { $0 }.isEmpty)
    }

    @Test func aNameWithoutAnAddressIsToldApart() async throws {
        #expect(try await send("https://nothing.invalid/") { _ in [] } == .fault(.unresolved))
        #expect(await HostAddresses.of("127.0.0.1").map(\.bytes) == [[127, 0, 0, 1]])
    }

    @Test func aClosedPortIsToldApart() async throws {
        let closed = try ListeningSocket(listens: false)
        #expect(try await send("http://127.0.0.1:\(closed.port)/") == .fault(.unreachable))
    }

    @Test func aReceiverThatDoesNotAnswerIsNotWaitedForLong() async throws {
        let silent = try ListeningSocket()
        #expect(try await send("http://127.0.0.1:\(silent.port)/", patience: 0.5) == .fault(.timeout))
    }

    @Test func aLongAnswerIsNotReadToItsEnd() async throws {
        let long = ByteBuffer(string: String(repeating: "a", count: 4 << 20))
        try await WebhookReceiver.run(
            answer: { _, _ in Response(status: .ok, body: .init(byteBuffer: long)) },
            { (receiver) async throws in #expect(try await send(receiver.url) == .status(200)) })
    }

    @Test func whoeverIsBusySaysForHowLong() async throws {
        try await WebhookReceiver.run(
            answer: { _, _ in Response(status: .serviceUnavailable, headers: [.retryAfter: "120"]) },
            { (receiver) async throws in #expect(try await send(receiver.url) == .status(503, retryAfter: 120)) })
    }

    /// Over TLS the receiver must be who it says it is.
    @Test func onlyATrustedReceiverIsSpokenTo() async throws {
        try await TestServer.run { (server) async throws in
            let url = "https://localhost:\(server.port)/"
            #expect(try await send(url) == .fault(.untrusted))
            let root = try NIOSSLCertificate(bytes: Array(server.authority.certificateDER), format: .der)
            guard case .status = try await send(url, roots: [root]) else {
                Issue.record("it is trusted by the operator's authority")
                return
            }
        }
    }
}
