/// The numbers of an app's feedback that the server measures. `GET` and `PUT /apps/{app}/feedback/metrics`
package struct FeedbackMetrics: Codable, Hashable, Sendable {
    /// Keys of the feedback's outermost dictionary.
    package var keys: [String]

    package init(keys: [String]) { self.keys = keys }
}
