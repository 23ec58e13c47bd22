import Foundation
import InputBounds
import Synchronization
import Testing

@testable import Management

/// What waits for webhooks and what came of it, on a real store and without a network.
struct WebhookTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private var number: Int {
        get async throws { try #require(await fixture.management.webhook(named: "tickets")).number }
    }

    private func add(_ events: String...) async throws -> IssuedWebhook {
        try #require(
            await fixture.management.addWebhook(
                named: "tickets", url: "https://example.com/a", events: events, author: "admin"
            ).value)
    }

    private func request() async throws -> WebhookRequest? {
        try await fixture.management.nextWebhookRequest(for: number)
    }

    /// Delivers everything that waits now; answers with the subjects in their order.
    private func deliver() async throws -> [String] {
        var subjects: [String] = []
        while let request = try await request() {
            subjects.append(try subject(request))
            try await fixture.management.settle(request, .status(204))
        }
        return subjects
    }

    private func subject(_ request: WebhookRequest) throws -> String {
        let body = try JSONValue(parsing: request.body, limits: InputLimits(bytes: 65_536, objects: 100))
        return try #require(body["data"]?["subject"]?.string)
    }

    private func create(_ groups: String...) async throws {
        for group in groups { _ = try await fixture.management.createGroup(named: group, author: "admin") }
    }

    @Test func entriesComeOnceInTheirOrderFromWhenItWasAdded() async throws {
        try await create("before")
        _ = try await add("group.*")
        #expect(try await fixture.management.dueWebhooks().numbers == [])
        try await create("a", "b")
        _ = try await fixture.management.putApp(
            App(bundleIdentifier: "a.b", name: "n", teamIdentifier: nil), author: "admin")
        try await create("c")
        #expect(try await fixture.management.webhook(named: "tickets")?.waiting == 3)
        #expect(try await fixture.management.dueWebhooks().numbers == [number])
        #expect(try await deliver() == ["a", "b", "c"])
        #expect(try await fixture.management.dueWebhooks().numbers == [])
        #expect(try await fixture.management.webhook(named: "tickets")?.waiting == 0)
    }

    /// A server that ends before it has written down that an event was taken sends it again, under the same identifier.
    @Test func whatWasNotSettledIsSentAgain() async throws {
        _ = try await add("*")
        try await create("a", "b")
        let first = try #require(await request())
        try fixture.restart()
        let again = try #require(await request())
        #expect(header("webhook-id", first) == header("webhook-id", again) && first.body == again.body)
        try await fixture.management.settle(again, .status(200))
        try fixture.restart()
        #expect(try await deliver() == ["b"])
        // An answer that comes late changes nothing.
        try await fixture.management.settle(first, .status(500))
        #expect(try await fixture.management.webhook(named: "tickets")?.standing == .active)
    }

    @Test func afterAFailureNothingIsSentBeforeThePauseAndThenTheSameFirst() async throws {
        _ = try await add("*")
        try await create("a", "b")
        let first = try #require(await request())
        try await fixture.management.settle(first, .status(500))
        #expect(try await request() == nil)
        let due = try await fixture.management.dueWebhooks()
        let wait = try #require(due.wait)
        #expect(due.numbers == [] && (2...5).contains(wait))
        #expect(try await fixture.management.webhook(named: "tickets")?.standing == .failing)
        fixture.advance(5)
        try fixture.restart()
        #expect(try await deliver() == ["a", "b"])
        let history = try #require(
            await fixture.management.webhookDeliveries(of: "tickets", PageRequest()).value)
        #expect(history.items.map(\.state) == [.delivered, .delivered])
        #expect(history.items.map(\.attempts) == [1, 2])
    }

    @Test func oneThatFailsForDaysIsDisabledOnTheRecordAndGoesOnWhenEnabled() async throws {
        _ = try await add("group.*")
        try await create("a")
        for _ in 0..<WebhookCourse.leastAttempts {
            let request = try #require(await request())
            try await fixture.management.settle(request, .fault(.unreachable))
            fixture.advance(7 * 3_600)
        }
        let given = try #require(await fixture.management.webhook(named: "tickets"))
        #expect(given.standing == .disabled && given.course.disabled?.reason == .failed)
        #expect(try await fixture.management.webhookStandings() == [.disabled: 1])
        #expect(try await request() == nil)
        #expect(try await fixture.management.dueWebhooks().wait == nil)
        let entries = try await fixture.management.auditEntries(
            AuditFilter(action: .disableWebhook), PageRequest()
        ).items
        #expect(entries.map(\.actor) == ["server"] && entries.map(\.subject) == ["tickets"])
        try await create("b")
        _ = try #require(
            await fixture.management.setWebhook(
                named: "tickets", url: "https://example.com/b", events: ["group.*"], isEnabled: true, author: "admin"
            ).value)
        #expect(try await deliver() == ["a", "b"])
    }

    @Test func whileTwoSecretsCountEventsAreSignedWithBoth() async throws {
        let first = try await add("*")
        try await create("a")
        #expect(try await signatures() == [signature(first.secret)])
        let second = try #require(
            await fixture.management.rotateWebhookSecret(of: "tickets", overlap: 60, author: "admin").value)
        #expect(second.secret != first.secret)
        #expect(try await signatures() == [signature(second.secret), signature(first.secret)])
        fixture.advance(60)
        #expect(try await signatures() == [signature(second.secret)])
        let third = try #require(
            await fixture.management.rotateWebhookSecret(of: "tickets", overlap: 0, author: "admin").value)
        #expect(try await signatures() == [signature(third.secret)])
        let refused = try await fixture.management.rotateWebhookSecret(
            of: "tickets", overlap: 8 * 24 * 3_600, author: "admin")
        #expect(refused.refusal != nil)
    }

    /// On the disk a secret is sealed, and it goes over to a new master key with all others.
    @Test func aSecretIsKeptAsTheServersOtherSecretsAre() async throws {
        let made = try await add("*")
        let bytes = try #require(Data(base64Encoded: String(made.secret.dropFirst("whsec_".count))))
        #expect(bytes.count == 32)
        for file in try fixture.files() {
            #expect(file.range(of: bytes) == nil && file.range(of: Data(made.secret.utf8)) == nil)
        }
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() + "\n" + $0 }
        #expect(try await fixture.management.rewrapSecrets() == 1)
        fixture.surroundings.keys.withLock { $0 = String($0.split(separator: "\n")[0]) }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == nil)
        try await create("a")
        #expect(try await signatures() == [signature(made.secret)])
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == .keyMissing)
    }

    @Test func whatIsOrderedComesFirstIsTriedOnceAndGoesToADisabledOneToo() async throws {
        _ = try await add("group.*")
        try await create("a")
        #expect(try await deliver() == ["a"])
        let management = try fixture.management
        _ = try await management.setWebhook(
            named: "tickets", url: "https://example.com/a", events: ["group.*"], isEnabled: false, author: "admin")
        try await create("b")
        #expect(try await request() == nil)
        let entry = try #require(
            await management.auditEntries(AuditFilter(subject: "a"), PageRequest()).items.first?.sequence)
        let ordered = try #require(
            await management.orderWebhookDelivery(of: "tickets", entry: entry, author: "admin").value)
        _ = try #require(await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").value)
        let again = try #require(await request())
        #expect(try subject(again) == "a")
        try await management.settle(again, .status(500))
        let test = try #require(await request())
        #expect(String(decoding: test.body, as: UTF8.self).contains("webhook.test"))
        try await management.settle(test, .status(200))
        #expect(try await request() == nil)
        let history = try #require(await management.webhookDeliveries(of: "tickets", PageRequest()).value).items
        #expect(history.map(\.kind) == [.test, .redelivery, .event])
        #expect(history.map(\.state) == [.delivered, .failed, .delivered] && history[1].number == ordered.number)
        #expect(
            try await management.orderWebhookDelivery(of: "tickets", entry: 9_999, author: "admin").refusal
                == .unknownEntry)
        for _ in 0..<WebhookDelivery.mostOrdered {
            _ = try await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin")
        }
        #expect(
            try await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").refusal
                == .tooManyWaiting(limit: WebhookDelivery.mostOrdered))
    }

    @Test func thereAreBoundsForWebhooksAndWhatIsKeptOfThem() async throws {
        _ = try await add("group.*")
        #expect(
            try await fixture.management.addWebhook(
                named: "tickets", url: "https://example.com/", events: ["*"], author: "admin"
            ).refusal == .nameTaken)
        for index in 2...Webhook.most {
            _ = try #require(
                await fixture.management.addWebhook(
                    named: "w\(index)", url: "https://example.com/", events: ["app.set"], author: "admin"
                ).value)
        }
        let more = try await fixture.management.addWebhook(
            named: "more", url: "https://example.com/", events: ["*"], author: "admin")
        #expect(more.refusal != nil)
        try await create("a")
        #expect(try await deliver() == ["a"])
        fixture.advance(30 * 24 * 3_600 + 60)
        try await fixture.management.maintain()
        #expect(
            try await fixture.management.webhookDeliveries(of: "tickets", PageRequest()).value?.items.isEmpty == true)
    }

    @Test func aRemovedWebhookIsSentNothing() async throws {
        _ = try await add("*")
        try await create("a")
        let request = try #require(await request())
        #expect(try await fixture.management.removeWebhook(named: "tickets", author: "admin") == nil)
        try await fixture.management.settle(request, .status(200))
        #expect(try await fixture.management.dueWebhooks().numbers == [])
        #expect(try await fixture.management.removeWebhook(named: "tickets", author: "admin") == .unknownWebhook)
        #expect(try await fixture.management.nextWebhookRequest(for: request.work.webhook) == nil)
    }

    /// A commit that has an entry wakes the sender of webhooks.
    @Test(.timeLimit(.minutes(10))) func entriesRing() async throws {
        var rings = try fixture.management.webhookBell.rings.makeAsyncIterator()
        _ = await rings.next()
        try await create("a")
        _ = await rings.next()
    }

    private func header(_ name: String, _ request: WebhookRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    private func signatures() async throws -> [String] {
        let request = try #require(await request())
        return header("webhook-signature", request)?.split(separator: " ").map(String.init) ?? []
    }

    private func signature(_ secret: String) async throws -> String {
        let request = try #require(await request())
        let bytes = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
        return WebhookSecret(bytes: bytes).signature(
            of: WebhookMessage(
                id: try #require(header("webhook-id", request)),
                timestamp: try #require(header("webhook-timestamp", request).flatMap { Int($0) }), body: request.body))
    }
}
