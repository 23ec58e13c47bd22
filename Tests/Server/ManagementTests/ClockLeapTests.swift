import Foundation
import Testing

@testable import Management

/// C7: a wall clock that is years ahead for a while ends nothing for good, whether or not the server saw it leap.
struct ClockLeapTests {
    private static let years: TimeInterval = 4 * 365 * 86_400
    private static let hour: TimeInterval = 3_600

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func create(_ names: String...) async throws {
        for name in names {
            _ = try #require(await fixture.management.createGroup(named: name, author: "admin").value)
        }
    }

    private func log() async throws -> (first: Int, count: Int) {
        let chain = try await fixture.management.verifyAudit()
        #expect(chain.fault == nil)
        return (chain.first, chain.count)
    }

    // MARK: What has had its time

    /// Red while the retention went by the wall clock alone: the log had one entry left, and was called whole.
    @Test(arguments: [false, true]) func aLeapDeletesNothing(unseen: Bool) async throws {
        try await create("a", "b", "c")
        _ = try await fixture.management.createEnrollmentCode(EnrollmentCodeRequest(group: "a"), author: "admin")
        let before = try await log()
        fixture.leap(Self.years)
        if unseen { try fixture.restart() }
        try await fixture.management.maintain()
        // What is done meanwhile proves nothing.
        try await create("d")
        fixture.advance(Self.hour + 60)
        if unseen { try fixture.restart() }
        try await fixture.management.maintain()
        #expect(try await log() == (1, before.count + 1))
        fixture.leap(-Self.years)
        if unseen { try fixture.restart() }
        fixture.advance(Self.hour + 60)
        try await fixture.management.maintain()
        #expect(try await log() == (1, before.count + 1))
        #expect(try await fixture.management.enrollmentCodes(PageRequest()).items.count == 1)
        #expect(try await fixture.management.endsByAge())
    }

    /// A step of hours is small for the log and large for what is kept for a day.
    @Test func aStepThatIsSeenIsWaitedOutHoweverSmall() async throws {
        #expect(try await fixture.management.endsByAge())
        fixture.leap(600)
        #expect(try await !fixture.management.endsByAge())
        #expect(try fixture.management.believesClock)
        fixture.leap(-600)
        #expect(try await fixture.management.endsByAge())
        fixture.leap(-600)
        #expect(try await fixture.management.endsByAge(), "nothing has had its time too early")
    }

    @Test func aServerThatWasOffForYearsDeletesAgainAfterADay() async throws {
        try await create("a", "b", "c")
        try await fixture.management.maintain()
        fixture.advance(Self.years)
        try fixture.restart()
        for hours in [0, 12, 11.5] {
            fixture.advance(hours * Self.hour)
            try await fixture.management.maintain()
            #expect(try await log().first == 1)
        }
        #expect(try !fixture.management.believesClock)
        fixture.advance(Self.hour)
        try await fixture.management.maintain()
        #expect(try await log().first == 4)
    }

    @Test func aStepThatStaysIsTheTimeAfterADay() async throws {
        try await create("a", "b", "c")
        fixture.leap(Self.years)
        try await fixture.management.maintain()
        #expect(try await log().first == 1)
        fixture.advance(24 * Self.hour)
        try await fixture.management.maintain()
        #expect(try await log().first == 4)
        #expect(try fixture.management.clock.step == nil)
    }

    /// Red while the hour between two times went by the wall clock: after a leap nothing was deleted for years.
    @Test func whatIsDueEachHourIsDueAfterALeapAsWell() {
        let clock = PruneClock()
        #expect(clock.isDue(10) && !clock.isDue(3_609) && clock.isDue(3_610))
    }

    // MARK: Webhooks

    private func request() async throws -> WebhookRequest? {
        let number = try #require(await fixture.management.webhook(named: "tickets")).number
        return try await fixture.management.nextWebhookRequest(for: number)
    }

    private func settle(_ answer: WebhookAnswer) async throws {
        let request = try #require(await request())
        try await fixture.management.settle(request, answer)
    }

    private func addWebhook() async throws {
        _ = try #require(
            await fixture.management.addWebhook(
                named: "tickets", url: "https://example.com/", events: ["group.*"], author: "admin"
            ).value)
        try await create("a")
    }

    /// Red while the next attempt waited for the day to which the clock had leapt.
    @Test(arguments: [false, true]) func aWebhookDoesNotWaitForThatDay(unseen: Bool) async throws {
        try await addWebhook()
        fixture.leap(Self.years)
        if unseen { try fixture.restart() }
        try await settle(.status(503, retryAfter: 3_600))
        #expect(try await request() == nil)
        fixture.leap(-Self.years)
        if unseen { try fixture.restart() }
        fixture.advance(Self.hour)
        #expect(try await fixture.management.dueWebhooks().numbers.count == 1)
        #expect(try await request() != nil)
    }

    /// Red while five days of failures were five days of the wall clock.
    @Test func aWebhookThatFailsIsNotGivenUpByALeap() async throws {
        try await addWebhook()
        for _ in 0..<25 {
            try await settle(.status(500))
            fixture.advance(Self.hour)
        }
        fixture.leap(Self.years)
        try await settle(.status(500))
        #expect(try await fixture.management.webhook(named: "tickets")?.standing == .failing)
    }

    @Test(
        arguments: [(nil, true), (-1, true), (0, true), (1, false), (3_600, false), (3_601, true), (1e8, true)]
            as [(TimeInterval?, Bool)])
    func noWaitIsLongerThanAnyPause(seconds: TimeInterval?, isDue: Bool) {
        var course = WebhookCourse()
        course.next = seconds.map { Fixture.start + $0 }
        #expect(course.isDue(Fixture.start) == isDue)
    }

    @Test func failuresDoNotBeginInTheFuture() {
        var course = WebhookCourse()
        course.settle(.status(500), now: Fixture.start + Self.years, jitter: 1)
        course.settle(.status(500), now: Fixture.start, jitter: 1)
        #expect(course.failingSince == Fixture.start)
    }

    // MARK: Devices

    /// Red while a leap of a minute ended the renewal of every identity, a hundred in a second, each for good.
    @Test func aLeapGivesUpNoIdentity() async throws {
        try await fixture.enrol()
        fixture.leap(Self.years)
        #expect(try await fixture.management.orderRenewals() == RenewalRound())
        fixture.leap(-Self.years)
        fixture.advance(86_400 * 2 / 3)
        #expect(try await fixture.management.orderRenewals() == RenewalRound(ordered: 1))
    }

    /// A server that was started by such a clock gives up nothing either, and comes back to whom it has told.
    @Test func aServerThatBeganInALeapGivesUpNoIdentity() async throws {
        try await fixture.enrol()
        fixture.leap(Self.years)
        try fixture.restart()
        #expect(try await fixture.management.orderRenewals() == RenewalRound(ordered: 1))
        fixture.leap(-Self.years)
        try fixture.restart()
        try await fixture.management.maintain()
        let renewal = try #require(await fixture.management.device("D1")?.renewal)
        #expect(renewal.due == Fixture.start)
    }

    /// Red while the five minutes between two times of writing waited for the day of the leap.
    @Test func whenADeviceWasSeenIsWrittenAfterALeap() {
        let seen = LastSeen()
        seen.note("D1", now: Fixture.start + Self.years)
        #expect(seen.drain().count == 1)
        seen.note("D1", now: Fixture.start)
        #expect(seen.drain() == ["D1": Fixture.start])
    }

    // MARK: Certificates

    @Test func certificatesWaitForAnHourAndTheServersOwnFollowsTheTimeBefore() throws {
        let clock = try fixture.management.clock
        fixture.leap(299)
        #expect(!clock.holdsCertificates, "within what certificates allow for")
        fixture.leap(Self.years)
        #expect(clock.holdsCertificates)
        #expect(clock.ofOwnCertificate == Fixture.start)
        fixture.advance(Self.hour - 1)
        #expect(clock.holdsCertificates)
        fixture.advance(1)
        #expect(!clock.holdsCertificates)
        #expect(clock.ofOwnCertificate == Fixture.start + Self.hour + Self.years + 299)
        #expect(clock.takeEvents().count == 2 && clock.takeEvents().isEmpty)
        fixture.leap(-2 * Self.years)
        #expect(!clock.holdsCertificates, "a clock that is behind issues nothing that is not valid yet")
    }
}
