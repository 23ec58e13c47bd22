import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// The server measures the numbers that an administrator names, over all devices, and counts each life once.
struct FeedbackMetricTests {
    private static let app = "com.example.app"

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    private func report(_ life: String, _ numbers: [String: Int64], marker: Int64 = 0) async throws {
        let moment = Date(timeIntervalSince1970: 1_000)
        let feedback = PropertyListValue.dictionary(numbers.mapValues { PropertyListValue.integer($0) }).xml()
        var report = StatusReport()
        report.set(
            .array([AppFeedbackStatus(life: life, app: Self.app, feedback: feedback, from: moment, to: moment).value]),
            at: AppFeedbackStatus.name)
        report.set(.integer(marker), at: "test.marker")
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func measure(_ keys: [String], of app: String = Self.app) async throws -> Outcome<[String], AdminRefusal> {
        try await fixture.management.measureFeedback(keys, of: app, author: "admin")
    }

    private func metrics() async throws -> [FeedbackMetric] { try await fixture.management.feedbackMetrics() }

    @Test func aNumberIsSummedFromWhenItIsMeasured() async throws {
        try await report("before", ["failures": 7])
        #expect(try await metrics() == [])
        #expect(try await measure(["failures"]).value == ["failures"])
        #expect(try await metrics() == [FeedbackMetric(app: Self.app, key: "failures", sum: 0)])
        try await report("a", ["failures": 3, "others": 9])
        try await report("a", ["failures": 3, "others": 9], marker: 1)
        try await report("b", ["failures": 2])
        #expect(try await metrics() == [FeedbackMetric(app: Self.app, key: "failures", sum: 5)])
        // The first number keeps its sum when a second one is measured.
        #expect(try await measure(["others", "failures"]).value == ["failures", "others"])
        #expect(try await metrics().map(\.sum) == [5, 0])
    }

    /// A sum never falls, since Prometheus takes a lower value for a restart: negative numbers and retention subtract
    /// nothing.
    @Test func aSumNeverFalls() async throws {
        _ = try await measure(["failures"])
        try await report("a", ["failures": 3])
        try await report("b", ["failures": -2])
        #expect(try await metrics().map(\.sum) == [3])
        fixture.advance(FeedbackLimits.seconds + 24 * 3_600)
        try await fixture.management.maintain()
        #expect(try await metrics().map(\.sum) == [3])
    }

    @Test func thereAreBounds() async throws {
        let most = (1...FeedbackMetric.most).map { "key\($0)" }
        #expect(try await measure(most + ["more"]).refusal?.kind == .invalid)
        for key in ["", "a\nb", "é", String(repeating: "a", count: 129)] {
            #expect(try await measure([key]).refusal?.kind == .invalid, "\(key)")
        }
        #expect(try await measure(["failures"], of: "no.app").refusal == .unknownApp)
        #expect(try await measure(most).value?.count == FeedbackMetric.most)
        // The bound is for all apps together.
        try await fixture.assign("com.example.other")
        #expect(try await measure(["failures"], of: "com.example.other").refusal?.kind == .invalid)
    }

    /// The audit log has one entry for each change of the measured numbers.
    @Test func changesAreAudited() async throws {
        _ = try await measure(["failures"])
        _ = try await measure(["failures"])
        _ = try await measure([])
        #expect(try await metrics() == [])
        let entries = try await fixture.management.auditEntries(
            AuditFilter(action: .measureFeedback), PageRequest()
        ).items
        #expect(entries.map(\.subject) == [Self.app, Self.app])
        #expect(entries.map(\.details) == [#"{"keys":[]}"#, #"{"keys":["failures"]}"#])
    }
}
