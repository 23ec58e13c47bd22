/// The numbers of an app's feedback that the server measures. `GET` and `PUT /apps/{app}/feedback/metrics`
package struct FeedbackMetrics: Codable, Hashable, Sendable {
    /// Keys of the feedback's outermost dictionary.
    package var keys: [String]

    package init(keys: [String]) { self.keys = keys }
}

/// One number of an app's feedback that the server measures. `GET /feedback/metrics`
package struct FeedbackMetric: Codable, Hashable, Sendable {
    package var app: String
    /// A key of the feedback's outermost dictionary.
    package var key: String

    package init(app: String, key: String) {
        self.app = app
        self.key = key
    }
}
