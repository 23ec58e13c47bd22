package import Foundation

/// How a number of an app's feedback went. `GET /apps/{app}/feedback/trend`
package struct FeedbackTrend: Codable, Hashable, Sendable {
    package var key: String
    /// `hour` or `day`, in Greenwich.
    package var interval: String
    /// The beginning of the first interval that was summed.
    package var since: Date
    /// The oldest first; an interval in which nothing was handed over has none.
    package var steps: [FeedbackTrendStep]

    package init(key: String, interval: String, since: Date, steps: [FeedbackTrendStep]) {
        self.key = key
        self.interval = interval
        self.since = since
        self.steps = steps
    }
}

/// The sum of a number in one interval, for one version of the dictionary.
package struct FeedbackTrendStep: Codable, Hashable, Sendable {
    /// The beginning of the interval.
    package var from: Date
    /// The version of the dictionary that the app had, where it had one.
    package var configuration: String?
    package var sum: Double
    package var devices: Int

    package init(from: Date, configuration: String?, sum: Double, devices: Int) {
        self.from = from
        self.configuration = configuration
        self.sum = sum
        self.devices = devices
    }
}
