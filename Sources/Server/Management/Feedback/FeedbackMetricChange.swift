package import Foundation
import InputBounds

/// The facts that a change of an app's measured numbers depends on.
package struct FeedbackMetricState: Sendable, Equatable {
    package let isAppKnown: Bool
    /// The keys that are measured, sorted.
    package let keys: [String]
    /// How many numbers of other apps are measured.
    package let others: Int

    package init(isAppKnown: Bool, keys: [String], others: Int) {
        self.isAppKnown = isAppKnown
        self.keys = keys
        self.others = others
    }
}

/// A change of the numbers of an app's feedback that are measured.
package struct FeedbackMetricChange: Sendable, Equatable {
    package let app: String
    /// The keys that are measured, sorted.
    package let keys: [String]
    /// Nil if nothing changes.
    package let audit: AuditRecord?

    /// Decides which numbers of an app are measured.
    package static func decide(
        _ keys: [String], of app: String, knowing state: FeedbackMetricState, by author: String, at now: Date
    ) -> Outcome<FeedbackMetricChange, AdminRefusal> {
        guard state.isAppKnown else { return .refused(.unknownApp) }
        guard keys.allSatisfy(FeedbackMetric.isSuitable) else {
            return .refused(
                .invalid(rule: "The key of a number is 1 to \(FeedbackLimits.keyBytes) printable characters of ASCII."))
        }
        let wanted = Set(keys).sorted()
        guard wanted.count + state.others <= FeedbackMetric.most else {
            return .refused(
                .invalid(rule: "A server measures at most \(FeedbackMetric.most) numbers of apps' feedback."))
        }
        let record = AuditRecord(
            .measureFeedback, app, ["keys": .array(wanted.map { .string($0) })], by: .administrator(author), at: now)
        return .accepted(
            FeedbackMetricChange(app: app, keys: wanted, audit: wanted == state.keys ? nil : record))
    }
}
