import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// How a number of an app's feedback went: by interval, and by version of the dictionary.
struct FeedbackTrendTests {
    private static let app = "com.example.app"
    /// Half past eight in Greenwich.
    private static let now = Date(timeIntervalSince1970: 1_800_001_800)
    private static let hour: TimeInterval = 3_600

    // MARK: The rule

    @Test func anIntervalBeginsInGreenwich() {
        #expect(FeedbackInterval.hour.start(since: Self.now, now: Self.now) == Self.now - 1_800)
        #expect(FeedbackInterval.day.start(since: Self.now, now: Self.now) == Self.now - 8.5 * Self.hour)
    }

    @Test func withoutAMomentADayOfHoursOrAMonthOfDaysIsSummed() {
        #expect(FeedbackInterval.hour.start(since: nil, now: Self.now) == Self.now - 1_800 - 23 * Self.hour)
        #expect(
            FeedbackInterval.day.start(since: nil, now: Self.now) == Self.now - 8.5 * Self.hour - 29 * 24 * Self.hour)
    }

    /// However far back somebody asks, the number of intervals is bounded.
    @Test(arguments: FeedbackInterval.allCases) func theNumberOfIntervalsIsBounded(interval: FeedbackInterval) {
        let start = interval.start(since: Date(timeIntervalSince1970: 0), now: Self.now)
        let span = Int(Self.now.timeIntervalSince(start))
        #expect(span / interval.seconds == interval.most - 1)
        #expect(interval.start(since: start, now: Self.now) == start)
    }

    // MARK: On a store

    private static func element(
        _ life: String, ended: Date, count: Int64, configuration: String = "ff"
    ) -> JSONValue {
        AppFeedbackStatus(
            life: life, app: app,
            feedback: PropertyListValue.dictionary(["failureCount": .integer(count), "other": .integer(9)]).xml(),
            configuration: configuration, from: ended, to: ended
        ).value
    }

    /// Lives of one interval and dictionary are one sum; other numbers, and what ended before, are not in it.
    @Test func livesAreSummedByIntervalAndDictionary() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        let start = Date(
            timeIntervalSince1970: (Fixture.start.timeIntervalSince1970 / Self.hour).rounded(.down) * Self.hour)
        var report = StatusReport()
        report.set(
            .array([
                Self.element("a", ended: start - 1, count: 1), Self.element("b", ended: start - 2, count: 2),
                Self.element("c", ended: start - 3, count: 4, configuration: "00"),
                Self.element("d", ended: start - Self.hour - 1, count: 8),
                Self.element("e", ended: start - 9 * 24 * Self.hour, count: 16),
            ]), at: AppFeedbackStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        let found = try await fixture.management.feedbackTrend(
            of: Self.app, counting: "failureCount", by: .hour, since: nil
        ).value
        let steps = try #require(found?.steps)
        #expect(steps.map(\.from) == [start - 2 * Self.hour, start - Self.hour, start - Self.hour])
        #expect(steps.map(\.configuration) == ["ff", "00", "ff"])
        #expect(steps.map(\.sum) == [8, 4, 3] && steps.allSatisfy { $0.devices == 1 })
        let days = try await fixture.management.feedbackTrend(
            of: Self.app, counting: "failureCount", by: .day, since: nil
        ).value
        #expect(days?.steps.map(\.sum).reduce(0, +) == 31)
        let unknown = try await fixture.management.feedbackTrend(
            of: "no.app", counting: "failureCount", by: .day, since: nil)
        #expect(unknown.refusal == .unknownApp)
    }
}
