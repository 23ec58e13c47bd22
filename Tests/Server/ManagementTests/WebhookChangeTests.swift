import Foundation
import InputBounds
import Management
import Synchronization
import Testing

/// What a change of a webhook does to entries that are there already, and when its address is judged.
struct WebhookChangeTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func add(_ url: String, _ events: String...) async throws {
        _ = try #require(
            await fixture.management.addWebhook(named: "tickets", url: url, events: events, author: "admin").value)
    }

    private func set(_ url: String, _ events: String..., isEnabled: Bool = true) async throws -> AdminRefusal? {
        try await fixture.management.setWebhook(
            named: "tickets", url: url, events: events, isEnabled: isEnabled, author: "admin"
        ).refusal
    }

    /// Delivers everything that waits now; answers with the subjects in their order.
    private func deliver() async throws -> [String] {
        let number = try #require(await fixture.management.webhook(named: "tickets")).number
        var subjects: [String] = []
        while let request = try await fixture.management.nextWebhookRequest(for: number) {
            let body = try JSONValue(parsing: request.body, limits: InputLimits(bytes: 65_536, objects: 100))
            subjects.append(try #require(body["data"]?["subject"]?.string))
            try await fixture.management.settle(request, .status(204))
        }
        return subjects
    }

    private func createGroup(_ name: String) async throws {
        _ = try await fixture.management.createGroup(named: name, author: "admin")
    }

    private func putApp(_ identifier: String) async throws {
        _ = try await fixture.management.putApp(
            App(bundleIdentifier: identifier, name: "n", teamIdentifier: nil), author: "admin")
    }

    /// Red where a webhook that asks for more got the log since its last delivery.
    @Test func moreEventsCountFromTheChangeOn() async throws {
        try await add("https://example.com/a", "group.*")
        try await putApp("a.b")
        try await createGroup("a")
        try await putApp("a.c")
        #expect(try await set("https://example.com/a", "*") == nil)
        try await putApp("a.d")
        // The change itself is the first entry of the time in which everything is asked for.
        #expect(try await fixture.management.webhook(named: "tickets")?.waiting == 3)
        #expect(try await deliver() == ["a", "tickets", "a.d"])
        #expect(try await fixture.management.webhook(named: "tickets")?.waiting == 0)
    }

    /// What was not asked for between two changes is not sent, nor is what was written before one and is asked for no more.
    @Test func eachChangeHoldsForWhatWaitsAtThatTime() async throws {
        try await add("https://example.com/a", "group.*")
        try await createGroup("a")
        #expect(try await set("https://example.com/a", "app.*", isEnabled: false) == nil)
        try await createGroup("b")
        try await putApp("a.b")
        #expect(try await set("https://example.com/a", "group.*", "app.*", isEnabled: false) == nil)
        try await createGroup("c")
        try fixture.restart()
        #expect(try await set("https://example.com/a", "group.*", "app.*") == nil)
        #expect(try await deliver() == ["a.b", "c"])
    }

    /// Red where a webhook could not be disabled any more after the operator withdrew its network.
    @Test func anAddressThatStaysIsJudgedOnlyWhenTheWebhookIsEnabled() async throws {
        fixture.surroundings.webhookPolicy.withLock {
            $0.allowed = [NetworkRange(parsing: "10.1.0.0/16")].compactMap { $0 }
        }
        try fixture.restart()
        try await add("https://10.1.2.3/a", "group.*")
        fixture.surroundings.webhookPolicy.withLock { $0.allowed = [] }
        try fixture.restart()
        #expect(try await set("https://10.1.2.3/a", "*") == nil)
        #expect(try await set("https://10.1.2.3/a", "*", isEnabled: false) == nil)
        #expect(try await set("https://10.1.2.3/a", "group.*", isEnabled: false) == nil)
        let other = try await set("https://10.1.2.4/a", "group.*", isEnabled: false)
        #expect(other != nil)
        let enabled = try await set("https://10.1.2.3/a", "group.*")
        #expect(enabled != nil)
        #expect(try await fixture.management.webhook(named: "tickets")?.standing == .disabled)
        #expect(try await fixture.management.removeWebhook(named: "tickets", author: "admin") == nil)
    }

    /// Red where a webhook that was not disabled could be enabled although its network was withdrawn, and looked sound.
    @Test func anAddressThatIsNoLongerAllowedIsSaidAndNotEnabled() async throws {
        fixture.surroundings.webhookPolicy.withLock {
            $0.allowed = [NetworkRange(parsing: "10.1.0.0/16")].compactMap { $0 }
        }
        try fixture.restart()
        try await add("https://10.1.2.3/a", "group.*")
        let sound = try #require(await fixture.management.webhook(named: "tickets"))
        #expect(try fixture.management.problem(of: sound) == nil)
        #expect(try await set("https://10.1.2.3/a", "group.*") == nil)
        fixture.surroundings.webhookPolicy.withLock { $0.allowed = [] }
        try fixture.restart()
        let withdrawn = try #require(await fixture.management.webhook(named: "tickets"))
        #expect(try fixture.management.problem(of: withdrawn) == WebhookFault.notAllowed.rawValue)
        let enabled = try await set("https://10.1.2.3/a", "group.*")
        #expect(enabled != nil)
        let events = try await set("https://10.1.2.3/a", "app.*")
        #expect(events == nil)
    }

    /// Red where a change of the events, or of the address, made a failing webhook an active one.
    @Test(arguments: ["https://example.com/a", "https://example.com/b"])
    func aFailingWebhookFailsUntilSomethingIsDelivered(url: String) async throws {
        try await add("https://example.com/a", "group.*")
        try await createGroup("a")
        let number = try #require(await fixture.management.webhook(named: "tickets")).number
        let request = try #require(await fixture.management.nextWebhookRequest(for: number))
        try await fixture.management.settle(request, .status(500))
        #expect(try await set(url, "group.*", "app.*") == nil)
        let changed = try #require(await fixture.management.webhook(named: "tickets"))
        #expect(changed.standing == .failing && changed.course.next == nil, "it is tried at once, and fails till then")
        #expect(try await deliver() == ["a"])
        #expect(try await fixture.management.webhook(named: "tickets")?.standing == .active)
    }
}
