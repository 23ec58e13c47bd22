import DeviceMessages
import Foundation
import InputBounds
import Testing

@testable import Management

/// Webhooks get the feedback of apps at least once, in order, and only if they ask for it.
struct WebhookFeedbackTests {
    private static let app = "com.example.app"

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    private func add(_ events: String...) async throws -> Int {
        try #require(
            await fixture.management.addWebhook(
                named: "counts", url: "https://example.com/a", events: events, author: "admin"
            ).value
        ).webhook.number
    }

    private func set(_ events: String...) async throws {
        _ = try #require(
            await fixture.management.setWebhook(
                named: "counts", url: "https://example.com/a", events: events, isEnabled: true, author: "admin"
            ).value)
    }

    private func webhook() async throws -> Webhook { try #require(await fixture.management.webhook(named: "counts")) }

    /// A report with feedback; the lives make one report differ from another.
    private func report(_ lives: String...) async throws {
        let moment = Date(timeIntervalSince1970: 1_000)
        let elements = lives.map { life in
            AppFeedbackStatus(
                life: life, app: Self.app, feedback: PropertyListValue.dictionary(["failures": .integer(1)]).xml(),
                from: moment, to: moment
            ).value
        }
        var report = StatusReport()
        report.set(.array(elements), at: AppFeedbackStatus.name)
        report.set(.string(lives.joined(separator: " ")), at: "test.marker")
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func body(_ request: WebhookRequest) throws -> JSONValue {
        try JSONValue(parsing: request.body, limits: InputLimits(bytes: 131_072, objects: 1_000))
    }

    /// Delivers everything that waits; returns the lives and the subjects in order.
    private func deliver(_ number: Int) async throws -> [String] {
        var told: [String] = []
        while let request = try await fixture.management.nextWebhookRequest(for: number) {
            let data = try body(request)["data"]
            told.append(try #require(data?["life"]?.string ?? data?["subject"]?.string))
            try await fixture.management.settle(request, .status(204))
        }
        return told
    }

    @Test func eachLifeComesOnceInItsOrderFromWhenItWasAskedFor() async throws {
        try await report("before")
        let number = try await add("app.feedback")
        #expect(try await fixture.management.dueWebhooks().numbers == [])
        try await report("a", "b")
        try await report("b", "c")
        #expect(try await webhook().waiting == 3)
        #expect(try await fixture.management.dueWebhooks().numbers == [number])
        #expect(try await deliver(number) == ["a", "b", "c"])
        #expect(try await fixture.management.dueWebhooks().numbers == [])
        let after = try await webhook()
        #expect(after.waiting == 0 && after.feedback?.skipped == 0)
        let history = try #require(await fixture.management.webhookDeliveries(of: "counts", PageRequest()).value).items
        #expect(history.map(\.state) == [.delivered, .delivered, .delivered])
        #expect(history.first?.feedback == after.feedback?.cursor && history.allSatisfy { $0.sequence == nil })
    }

    /// Values leave the server only if the webhook names `app.feedback`: neither `*` nor `app.*` matches it.
    @Test(arguments: ["*", "app.*"]) func noPatternMeansFeedback(pattern: String) async throws {
        let number = try await add(pattern)
        try await report("a")
        #expect(try await webhook().feedback == nil)
        #expect(try await !deliver(number).contains("a"))
    }

    @Test func entriesAndFeedbackComeInTheOrderOfTheirTimes() async throws {
        let number = try await add("group.*", "app.feedback")
        _ = try await fixture.management.createGroup(named: "first", author: "admin")
        fixture.advance(10)
        try await report("a")
        fixture.advance(10)
        _ = try await fixture.management.createGroup(named: "last", author: "admin")
        #expect(try await deliver(number) == ["first", "a", "last"])
    }

    /// A server that ends before it records a delivery sends the feedback again, under the same identifier.
    @Test func whatWasNotSettledIsSentAgain() async throws {
        let number = try await add("app.feedback")
        try await report("a", "b")
        let first = try #require(await fixture.management.nextWebhookRequest(for: number))
        try fixture.restart()
        let again = try #require(await fixture.management.nextWebhookRequest(for: number))
        func identifier(_ request: WebhookRequest) -> String? {
            request.headers.first { $0.name == "webhook-id" }?.value
        }
        #expect(identifier(first) == identifier(again) && first.body == again.body)
        try await fixture.management.settle(again, .status(200))
        try fixture.restart()
        #expect(try await deliver(number) == ["b"])
        // An answer that comes late changes nothing.
        try await fixture.management.settle(first, .status(500))
        #expect(try await webhook().standing == .active)
    }

    /// Feedback that expires before it is delivered is counted, and its delivery no longer waits.
    @Test func whatIsDeletedBeforeItIsDeliveredIsCounted() async throws {
        let number = try await add("app.feedback")
        try await report("a", "b", "c")
        let taken = try #require(await fixture.management.nextWebhookRequest(for: number))
        try await fixture.management.settle(taken, .status(204))
        let failed = try #require(await fixture.management.nextWebhookRequest(for: number))
        try await fixture.management.settle(failed, .status(500))
        // A delivery is kept for 30 days, feedback for 90.
        fixture.advance(FeedbackLimits.seconds + 24 * 3_600)
        try await fixture.management.maintain()
        #expect(try await webhook().feedback?.skipped == 2)
        #expect(try await webhook().waiting == 0)
        #expect(try await fixture.management.nextWebhookRequest(for: number) == nil)
        let history = try #require(await fixture.management.webhookDeliveries(of: "counts", PageRequest()).value).items
        #expect(!history.contains { $0.state == .waiting })
    }

    @Test func whatCameWhileItWasNotAskedForIsNotSent() async throws {
        let number = try await add("app.feedback")
        try await report("a")
        try await set("group.*")
        #expect(try await webhook().feedback == nil)
        try await report("b")
        try await set("app.feedback")
        try await report("c")
        // The same request a second time changes nothing.
        try await set("app.feedback", "group.*")
        #expect(try await deliver(number) == ["c"])
    }

    /// A report with feedback wakes the sender.
    @Test(.timeLimit(.minutes(10))) func feedbackRings() async throws {
        var rings = try fixture.management.webhookBell.rings.makeAsyncIterator()
        _ = await rings.next()
        try await report("a")
        _ = await rings.next()
    }

    // MARK: What is sent

    private static func record(number: Int) -> FeedbackRecord {
        let feedback = PropertyListValue.dictionary(["failures": .integer(3), "words": .string("own")]).xml()
        let status = AppFeedbackStatus(
            life: "l", app: app, feedback: feedback, configuration: "ff", from: Fixture.start,
            to: Fixture.start + 60, refused: 2)
        return FeedbackRecord(number: number, device: "D1", status: status, received: Fixture.start + 90)
    }

    private static func data(_ message: WebhookMessage) throws -> [String: JSONValue] {
        let body = try JSONValue(parsing: message.body, limits: InputLimits(bytes: 131_072, objects: 1_000))
        #expect(body["type"]?.string == "app.feedback" && body["timestamp"]?.string == "2027-01-15T08:01:30Z")
        return try #require(body["data"]?.object)
    }

    /// The event has the same content as the API, and its identifier depends on the life, not on the number.
    @Test func anEventHasTheValues() throws {
        let message = WebhookMessage(Self.record(number: 7), sent: Fixture.start + 100)
        let data = try Self.data(message)
        #expect(data["feedback"] == .object(["failures": .integer(3), "words": .string("own")]))
        #expect(data["number"] == .integer(7) && data["device"] == .string("D1") && data["app"] == .string(Self.app))
        #expect(data["life"] == .string("l") && data["configuration"] == .string("ff"))
        #expect(data["from"] == .string("2027-01-15T08:00:00Z") && data["to"] == .string("2027-01-15T08:01:00Z"))
        #expect(data["received"] == .string("2027-01-15T08:01:30Z") && data["refused"] == .integer(2))
        #expect(WebhookMessage(Self.record(number: 8), sent: Fixture.start + 999).id == message.id)
    }

    @Test func wordsBeyondTheBoundAreLeftOutAndThatIsSaid() throws {
        let data = try Self.data(WebhookMessage(Self.record(number: 7), sent: Fixture.start, limit: 10))
        #expect(data["feedback"] == nil && data["isCut"] == .boolean(true) && data["life"] == .string("l"))
    }
}
