import Foundation
import GRDB
import Synchronization
import Testing

@testable import Management

/// What is on record of webhooks, and what is kept of them for how long.
struct WebhookRecordTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @discardableResult
    private func add(_ name: String = "tickets", _ events: String...) async throws -> IssuedWebhook {
        try #require(
            await fixture.management.addWebhook(
                named: name, url: "https://example.com/planted-path?key=planted-word",
                events: events.isEmpty ? ["group.*"] : events, author: "admin"
            ).value)
    }

    private func create(_ group: String) async throws {
        _ = try #require(await fixture.management.createGroup(named: group, author: "admin").value)
    }

    private func request(_ webhook: IssuedWebhook) async throws -> WebhookRequest? {
        try await fixture.management.nextWebhookRequest(for: webhook.webhook.number)
    }

    /// Who reads the log learns of the host, and not of what only the receiver should know.
    @Test func eachChangeOfAWebhookIsOnTheRecordWithoutItsPath() async throws {
        let management = try fixture.management
        try await add()
        _ = try await management.setWebhook(
            named: "tickets", url: "https://example.org/planted-path", events: ["*"], isEnabled: false, author: "ben")
        _ = try await management.rotateWebhookSecret(of: "tickets", overlap: 0, author: "admin")
        _ = try await management.orderWebhookDelivery(of: "tickets", entry: 1, author: "admin")
        _ = try await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin")
        _ = try await management.removeWebhook(named: "tickets", author: "admin")
        let entries = try await management.auditEntries(AuditFilter(subject: "tickets"), PageRequest()).items
        #expect(
            entries.reversed().map(\.action) == [
                "webhook.add", "webhook.set", "webhook.secret.rotate", "webhook.redeliver", "webhook.remove",
            ])
        #expect(entries.reversed().map(\.actor)[1] == "administrator:ben")
        #expect(entries.last?.details.contains("example.com") == true)
        #expect(entries.allSatisfy { !$0.details.contains("planted") })
    }

    /// The one before counts beside the newest; those before that do not, however long they were to count.
    @Test func atMostTwoSecretsCount() async throws {
        let management = try fixture.management
        let first = try await add()
        var secrets = [first.secret]
        for _ in 0..<2 {
            let next = try await management.rotateWebhookSecret(of: "tickets", overlap: 600, author: "admin")
            secrets.insert(try #require(next.value).secret, at: 0)
        }
        try await create("a")
        let work = try #require(await request(first)).work
        #expect(work.secrets.map(\.version) == [3, 2])
        #expect(Set(secrets).count == 3)
    }

    /// What counts no more is not kept either.
    @Test func aSecretThatEndedIsRemoved() async throws {
        let management = try fixture.management
        try await add()
        _ = try await management.rotateWebhookSecret(of: "tickets", overlap: 600, author: "admin")
        fixture.advance(599)
        try await management.maintain()
        let kept = try await management.store.secretsToRewrap(under: "another", limit: 9)
        #expect(kept.map(\.version).sorted() == [1, 2])
        fixture.advance(3_601)
        try await management.maintain()
        #expect(try await management.store.secretsToRewrap(under: "another", limit: 9).map(\.version) == [2])
    }

    /// A number belongs to one webhook, a delivery's to one delivery: what comes late for one that is gone changes nothing.
    @Test func numbersAreNotGivenTwice() async throws {
        let management = try fixture.management
        let first = try await add()
        try await create("a")
        let late = try #require(await request(first))
        _ = try #require(await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").value)
        let lateOrder = try #require(await request(first))
        #expect(try await management.removeWebhook(named: "tickets", author: "admin") == nil)
        let second = try await add()
        #expect(second.webhook.number != first.webhook.number)
        let ordered = try #require(
            await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").value)
        try await create("b")
        try await management.settle(late, .status(200))
        try await management.settle(lateOrder, .status(200))
        let history = try #require(await management.webhookDeliveries(of: "tickets", PageRequest()).value).items
        #expect(history.map(\.number) == [ordered.number] && history.map(\.state) == [.waiting])
        #expect(try await management.webhook(named: "tickets")?.waiting == 1)
    }

    /// One whose events are rare is moved on over the others, and misses none of its own.
    @Test func whatWasNotAskedForIsPassedOverAndNothingElse() async throws {
        let webhook = try await add()
        let table = "userName\n" + (1...1_100).map { "p\($0)" }.joined(separator: "\n")
        _ = try #require(
            await fixture.management.importPeople(Data(table.utf8), dryRun: false, author: "admin").value)
        #expect(try await request(webhook) == nil)
        let end = try await fixture.management.auditEntries(AuditFilter(), PageRequest(limit: 1)).items.first?.sequence
        #expect(try await fixture.management.webhook(named: "tickets")?.cursor == end)
        try await create("a")
        guard case .entry(let entry)? = try await request(webhook)?.work.event else {
            Issue.record("the next one is sent")
            return
        }
        #expect(entry.subject == "a")
    }

    /// What was sent is kept up to a bound, the newest; what waits stays, however old.
    @Test func aHistoryHasABoundAndKeepsWhatWaits() async throws {
        let management = try fixture.management
        let webhook = try await add()
        let waiting = try #require(
            await management.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").value)
        try await fixture.betweenServers { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :most)
                    INSERT INTO webhook_delivery (webhook, kind, sequence, state, attempts, created)
                    SELECT :webhook, 'event', 100000 + n, iif(n = 2, 'waiting', 'delivered'), 1, :now FROM n
                    """,
                arguments: [
                    "most": WebhookDelivery.mostKept + 5, "webhook": webhook.webhook.number,
                    "now": Int(Fixture.start.timeIntervalSince1970),
                ])
        }
        let now = try fixture.management
        let first = try #require(await now.nextWebhookRequest(for: webhook.webhook.number))
        _ = try #require(await now.orderWebhookDelivery(of: "tickets", entry: nil, author: "admin").value)
        try await now.settle(first, .status(200))
        // The first was ordered before all others: now that it is done it is the oldest of too many.
        #expect(try await deliveries() == (WebhookDelivery.mostKept + 1, [.waiting]))
        #expect(try await states(of: waiting.number) == [])
        fixture.advance(40 * 24 * 3_600)
        try await now.maintain()
        #expect(try await deliveries() == (2, [.waiting]))
    }

    /// How many there are, and what the newest is.
    private func deliveries() async throws -> (Int, [WebhookDelivery.State]) {
        var all: [WebhookDelivery] = []
        var cursor: String?
        repeat {
            let page = try #require(
                await fixture.management.webhookDeliveries(of: "tickets", PageRequest(after: cursor, limit: 500)).value)
            all += page.items
            cursor = page.next
        } while cursor != nil
        return (all.count, all.first.map { [$0.state] } ?? [])
    }

    private func states(of number: Int) async throws -> [WebhookDelivery.State] {
        let page = try #require(
            await fixture.management.webhookDeliveries(
                of: "tickets", PageRequest(after: "\(number + 1)", limit: 1)
            ).value)
        return page.items.filter { $0.number == number }.map(\.state)
    }

    /// A receiver refuses what was signed long ago: an attempt is signed when it is made, under the identifier of the first.
    @Test func eachAttemptIsSignedAnewUnderTheSameIdentifier() async throws {
        let webhook = try await add()
        try await create("a")
        func header(_ name: String, _ request: WebhookRequest) -> String? {
            request.headers.first { $0.name == name }?.value
        }
        var requests: [WebhookRequest] = []
        for _ in 0..<2 {
            fixture.advance(3_600)
            let request = try #require(await request(webhook))
            let now = fixture.surroundings.clock.withLock { Int($0.timeIntervalSince1970) }
            #expect(header("webhook-timestamp", request) == "\(now)")
            try await fixture.management.settle(request, .status(500))
            requests.append(request)
        }
        #expect(header("webhook-id", requests[0]) == header("webhook-id", requests[1]))
        #expect(header("webhook-signature", requests[0]) != header("webhook-signature", requests[1]))
        #expect(requests[0].body == requests[1].body)
    }

    @Test(arguments: ["", " ", "a b", "a/b", "ä", "a\n", "webhook:1", String(repeating: "a", count: 65)])
    func aNameIsOneThatCanBeTyped(name: String) async throws {
        let refused = try await fixture.management.addWebhook(
            named: name, url: "https://example.com/", events: ["*"], author: "admin")
        #expect(refused.refusal?.kind == .invalid)
    }

    /// An entry that had its time before it was sent again is told apart, and nobody is told of something else.
    @Test func anEntryThatTheLogHasNoMoreIsNotSent() async throws {
        let management = try fixture.management
        try await create("old")
        let webhook = try await add()
        _ = try #require(await management.orderWebhookDelivery(of: "tickets", entry: 1, author: "admin").value)
        fixture.advance(3 * 365 * 24 * 3_600 + 2 * 24 * 3_600)
        try await management.maintain()
        try #require(try await management.auditEntries(AuditFilter(subject: "old"), PageRequest()).items.isEmpty)
        #expect(try await request(webhook) == nil)
        let history = try #require(await management.webhookDeliveries(of: "tickets", PageRequest()).value).items
        #expect(history.map(\.state) == [.failed] && history.map(\.problem) == [WebhookFault.forgotten.rawValue])
    }

    /// Why an administrator had nothing sent is not overwritten by what a receiver still says.
    @Test func whoDisabledItIsRemembered() {
        var course = WebhookCourse()
        course.disable(now: Fixture.start)
        course.settle(.status(410), now: Fixture.start + 5, jitter: 1)
        course.disable(now: Fixture.start + 9)
        #expect(course.disabled == .init(since: Fixture.start, reason: .administrator))
        course = WebhookCourse()
        course.settle(.status(410), now: Fixture.start, jitter: 1)
        course.disable(now: Fixture.start + 9)
        #expect(course.disabled == .init(since: Fixture.start, reason: .gone))
    }

    /// What nobody rang for is looked for once a minute.
    @Test(.timeLimit(.minutes(10))) func whatWaitsIsCalledForAgain() async throws {
        let management = try fixture.management
        var webhooks = management.webhookBell.rings.makeAsyncIterator()
        var jobs = management.jobBell.rings.makeAsyncIterator()
        _ = await (webhooks.next(), jobs.next())
        try await management.maintain()
        _ = await webhooks.next()
        _ = await jobs.next()
    }
}
