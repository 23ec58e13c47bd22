import DeviceMessages
import Foundation
import InputBounds
import Management

/// The transaction that keeps a life adds its numbers to the sums once, and only a rule changes which numbers are
/// measured.
package func storeContractFeedbackMetrics(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    for app in ["com.example.a", "com.example.b"] {
        _ = try await store.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: time(0))
    }
    func measure(_ keys: [String], of app: String) async throws -> Outcome<FeedbackMetricChange, AdminRefusal> {
        try await store.measureFeedback(of: app) { state in
            FeedbackMetricChange.decide(keys, of: app, knowing: state, by: "admin", at: time(1))
        }
    }
    func report(_ count: Int64, of app: String, at seconds: Int, by device: String) async throws {
        let moment = time(TimeInterval(seconds))
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = [
            AppFeedbackStatus(
                life: "life of \(app)", app: app,
                feedback: PropertyListValue.dictionary(["a": .integer(count), "b": .integer(100)]).xml(),
                from: moment, to: moment)
        ]
        let report = ReceivedReport(
            received: moment, sha256: digest(seconds), size: 1, isFull: false, document: nil)
        _ = try await store.recordStatus(update, report: report, device: device)
    }
    try await promise("what a rule refuses changes nothing") {
        let refused = try await measure(["a"], of: "com.example.none").refusal
        let metrics = try await store.feedbackMetrics(PageRequest()).items
        return refused == .unknownApp && metrics.isEmpty
    }
    _ = try accepted(try await measure(["a"], of: "com.example.a"))
    try await report(3, of: "com.example.a", at: 2, by: "D1")
    try await report(3, of: "com.example.a", at: 3, by: "D1")
    try await report(4, of: "com.example.a", at: 4, by: "D2")
    try await report(5, of: "com.example.b", at: 5, by: "D1")
    try await promise("lives of all devices count, each once, of the app and the key that are named") {
        try await store.feedbackMetrics(PageRequest()).items == [FeedbackMetric(app: "com.example.a", key: "a", sum: 7)]
    }
    try await promise("the rule is told what is measured, of this app and of others") {
        let own = try await store.feedbackMetricState(of: "com.example.a")
        let other = try await store.feedbackMetricState(of: "com.example.b")
        return own == FeedbackMetricState(isAppKnown: true, keys: ["a"], others: 0)
            && other == FeedbackMetricState(isAppKnown: true, keys: [], others: 1)
    }
    _ = try accepted(try await measure(["a", "b"], of: "com.example.a"))
    try await promise("what is measured already keeps its sum") {
        try await store.feedbackMetrics(PageRequest()).items.map(\.sum) == [7, 0]
    }
    _ = try accepted(try await measure(["a/b", "a/c"], of: "com.example.b"))
    try await promise("pages of them follow each other by app and key") {
        let first = try await store.feedbackMetrics(PageRequest(limit: 3))
        let second = try await store.feedbackMetrics(PageRequest(after: first.next, limit: 3))
        return first.items.map(\.key) == ["a", "b", "a/b"] && second.items.map(\.key) == ["a/c"]
            && second.items.map(\.app) == ["com.example.b"] && second.next == nil
    }
    _ = try accepted(try await measure([], of: "com.example.b"))
    try await promise("with its app it goes") {
        let refusal = try await store.removeApp("com.example.a")
        let metrics = try await store.feedbackMetrics(PageRequest()).items
        return refusal == nil && metrics.isEmpty
    }
}
