/// A number of an app's feedback whose sum is among the server's measurements.
package struct FeedbackMetric: Sendable, Equatable {
    /// The most that a server measures, for all apps together.
    package static let most = 50

    package let app: String
    package let key: String
    /// The sum over all devices of what apps handed over since an administrator added it.
    package let sum: Double

    package init(app: String, key: String, sum: Double) {
        self.app = app
        self.key = key
        self.sum = sum
    }

    /// Whether a number of this key can be measured: it becomes the value of a label.
    static func isSuitable(_ key: String) -> Bool {
        (1...FeedbackLimits.keyBytes).contains(key.utf8.count) && key.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}

extension Management {
    /// The keys of an app's feedback that are measured.
    package func measuredFeedback(of app: String) async throws -> Outcome<[String], AdminRefusal> {
        let state = try await store.feedbackMetricState(of: app)
        return state.isAppKnown ? .accepted(state.keys) : .refused(.unknownApp)
    }

    /// Measures the numbers of these keys, and no others of the app.
    package func measureFeedback(
        _ keys: [String], of app: String, author: String
    ) async throws -> Outcome<[String], AdminRefusal> {
        let now = moment
        let outcome = try await store.measureFeedback(of: app) { state in
            FeedbackMetricChange.decide(keys, of: app, knowing: state, by: author, at: now)
        }
        return outcome.map(\.keys)
    }

    /// The measured numbers of all apps.
    package func feedbackMetrics() async throws -> [FeedbackMetric] {
        try await store.feedbackMetrics(PageRequest(limit: FeedbackMetric.most)).items
    }

    /// The measured numbers of all apps, by app and key, in pages.
    package func feedbackMetrics(_ page: PageRequest) async throws -> Page<FeedbackMetric> {
        try await store.feedbackMetrics(page)
    }
}
