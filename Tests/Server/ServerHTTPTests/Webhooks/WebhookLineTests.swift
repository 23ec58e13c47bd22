import EmptyStore
import Foundation
import Hummingbird
import InputBounds
import Logging
import Management
import NIOCore
import StoreSQLite
import Synchronization
import Testing
import Waiting
import Webhooks

/// The connections to receivers: to which address each leads, and how long it is kept.
@Suite struct WebhookLineTests {
    private func request(_ url: String, webhook: Int = 1, failures: Int = 0) throws -> WebhookRequest {
        let entry = AuditEntry(
            after: nil, time: Date(timeIntervalSince1970: 1), actor: "a", action: .createGroup, subject: "g",
            details: "{}")
        let work = WebhookWork(
            webhook: webhook, name: "w", url: url, failures: failures, event: .entry(entry), secrets: [])
        return WebhookRequest(
            work: work, address: try WebhookAddress(parsing: url, .loopback), headers: [], body: Data("{}".utf8))
    }

    /// A post for which a name stands for what the test says.
    private func with(
        _ found: [String], _ test: (WebhookPost, @escaping @Sendable ([String]) -> Void) async throws -> Void
    ) async throws {
        let names = Names(found)
        let post = WebhookPost(.loopback, patience: 600) { _ in
            names.found.withLock { $0.compactMap { HostAddresses.Address($0) } }
        }
        do {
            try await test(post) { found in names.found.withLock { $0 = found } }
        } catch {
            await post.shutdown()
            throw error
        }
        await post.shutdown()
    }

    private final class Names: Sendable {
        let found: Mutex<[String]>
        init(_ found: [String]) { self.found = Mutex(found) }
    }

    /// What a name stood for before is not connected to, although there is a connection.
    @Test func aNameThatMovedIsFollowed() async throws {
        try await WebhookReceiver.run { (receiver) async throws in
            let url = "http://localhost:\(receiver.port)/"
            try await with(["127.0.0.1"]) { (post, move) async throws in
                #expect(try await post.send(request(url)) == .status(204))
                // Nobody listens there.
                move(["127.0.0.2"])
                #expect(try await post.send(request(url)) == .fault(.unreachable))
                move(["127.0.0.1"])
                #expect(try await post.send(request(url)) == .status(204))
                #expect(receiver.events.count == 2)
            }
        }
    }

    /// One address of several that does not answer is not tried forever.
    @Test func afterAFailureTheNextAddressIsTried() async throws {
        try await WebhookReceiver.run { (receiver) async throws in
            let url = "http://localhost:\(receiver.port)/"
            try await with(["127.0.0.2", "127.0.0.1"]) { (post, _) async throws in
                #expect(try await post.send(request(url)) == .fault(.unreachable))
                #expect(try await post.send(request(url, failures: 1)) == .status(204))
                #expect(try await post.send(request(url, failures: 2)) == .fault(.unreachable))
            }
        }
    }

    /// A pause that nobody can wait for is none that was asked for.
    @Test(arguments: ["-5", "nan", "soon", ""]) func whatIsNoPauseIsNotTaken(text: String) async throws {
        try await WebhookReceiver.run(
            answer: { _, _ in Response(status: .serviceUnavailable, headers: [.retryAfter: text]) },
            { (receiver) async throws in
                try await with(["127.0.0.1"]) { (post, _) async throws in
                    #expect(try await post.send(request(receiver.url)) == .status(503))
                }
            })
    }

    /// Connections of webhooks that are there no more are ended, those of others are kept.
    @Test func theConnectionsOfRemovedWebhooksAreEnded() async throws {
        try await WebhookReceiver.run { (receiver) async throws in
            try await with(["127.0.0.1"]) { (post, _) async throws in
                for webhook in 1...3 {
                    #expect(try await post.send(request(receiver.url, webhook: webhook)) == .status(204))
                }
                #expect(await post.openLines == [1, 2, 3])
                await post.keep(only: [2, 4])
                #expect(await post.openLines == [2])
            }
        }
    }

    /// The sender ends them as soon as the webhook is removed.
    @Test func whoSendsLetsGoOfARemovedWebhook() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-lines-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try EmptyStore.open(path: folder.appending(path: "store.sqlite").path)
        defer { try? store.close() }
        var settings = Management.Settings(baseURL: "https://localhost", organization: "Test")
        settings.webhookPolicy = .loopback
        let key = MasterKeys.newKeyText()
        let management = Management(
            store: store, settings: settings, masterKeys: try MasterKeyRing { try MasterKeys(parsing: key) },
            now: { Date() })
        let post = WebhookPost(.loopback, patience: 600)
        let sender = WebhookSender(management: management, post: post, logger: Logger(label: "test"))
        let sending = Task { try await sender.run() }
        try await WebhookReceiver.run { (receiver) async throws in
            let made = try await management.addWebhook(
                named: "w", url: receiver.url, events: ["group.*"], author: "admin")
            let number = try #require(made.value).webhook.number
            _ = try await management.createGroup(named: "a", author: "admin")
            _ = try await receiver.events(1)
            #expect(await post.openLines == [number])
            #expect(try await management.removeWebhook(named: "w", author: "admin") == nil)
            try await eventually("its connection is ended") { await post.openLines.isEmpty }
        }
        sending.cancel()
        try await sending.value
    }
}
