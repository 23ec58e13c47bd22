/// The numbers of apps' feedback that are measured, as a store keeps them.
///
/// The transaction that keeps a life adds its numbers to the sums, once. A life that a restored server receives again
/// counts again, and a life that is deleted for its age stays in the sums. Negative numbers are not added, so a sum
/// never falls.
package protocol FeedbackMetricStore: Sendable {
    func feedbackMetricState(of app: String) async throws -> FeedbackMetricState
    /// Applies the decision of a rule on the present state; a number that was not measured before begins at 0.
    func measureFeedback(
        of app: String,
        by decide: @escaping @Sendable (FeedbackMetricState) -> Outcome<FeedbackMetricChange, AdminRefusal>
    ) async throws -> Outcome<FeedbackMetricChange, AdminRefusal>
    /// The measured numbers of all apps, by app and key.
    func feedbackMetrics(_ page: PageRequest) async throws -> Page<FeedbackMetric>
}
