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
    /// Whether steps sum several versions of the dictionary together; nil from older servers.
    package var isCut: Bool?

    package init(key: String, interval: String, since: Date, steps: [FeedbackTrendStep], isCut: Bool? = nil) {
        self.key = key
        self.interval = interval
        self.since = since
        self.steps = steps
        self.isCut = isCut
    }
}

/// The sum of a number in one interval, for one version of the dictionary.
package struct FeedbackTrendStep: Codable, Hashable, Sendable {
    /// The beginning of the interval.
    package var from: Date
    /// The version of the dictionary that the app had, where it had one.
    package var configuration: String?
    /// True for the sum of all versions that have no sum of their own; else nil.
    package var isOfOthers: Bool?
    package var sum: Double
    package var devices: Int

    package init(from: Date, configuration: String?, isOfOthers: Bool? = nil, sum: Double, devices: Int) {
        self.from = from
        self.configuration = configuration
        self.isOfOthers = isOfOthers
        self.sum = sum
        self.devices = devices
    }
}
