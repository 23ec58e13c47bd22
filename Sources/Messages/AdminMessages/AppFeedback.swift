package import Foundation

/// What an app on a device counted between two hand-overs. `GET /apps/{app}/feedback`, `GET /devices/{device}/feedback`
package struct AppFeedback: Codable, Hashable, Sendable {
    /// Its place among all that the server received: what came later has a greater one.
    package var number: Int
    package var device: String
    package var app: String
    /// Names it, on this device.
    package var life: String
    /// The version of the dictionary that the app had, where it had one.
    package var configuration: String?
    /// Which of the app's configurations that was, where the server knows it.
    package var configurationName: String?
    package var configurationVersion: Int?
    package var from: Date
    package var to: Date
    package var received: Date
    /// How many notes of the app were beyond a bound meanwhile.
    package var refused: Int
    /// The app's own words.
    package var feedback: JSON

    package init(
        number: Int, device: String, app: String, life: String, configuration: String?,
        configurationName: String? = nil, configurationVersion: Int? = nil, from: Date, to: Date, received: Date,
        refused: Int, feedback: JSON
    ) {
        self.number = number
        self.device = device
        self.app = app
        self.life = life
        self.configuration = configuration
        self.configurationName = configurationName
        self.configurationVersion = configurationVersion
        self.from = from
        self.to = to
        self.received = received
        self.refused = refused
        self.feedback = feedback
    }
}

/// An app's feedback in sums. `GET /apps/{app}/feedback/summary`
package struct FeedbackSummary: Codable, Hashable, Sendable {
    /// Of what was handed over then or later: the beginning of an hour, or of a day in UTC where it is more than a week ago.
    package var since: Date
    /// The keys that the app's specification names come first, then the keys that most devices count.
    package var totals: [FeedbackSum]
    /// Whether `totals` leaves keys out or sums versions of the dictionary together; nil from older servers.
    package var isCut: Bool?
    /// The devices above the bound that was asked for, those with most first.
    package var devices: [FeedbackDevice]?
    /// Only what came with this version of a configuration, or a later one, is counted; without it, everything.
    package var sinceVersion: Int?
    /// The configuration of that version.
    package var configurationName: String?
    /// The number of hand-overs that are left out because the server does not know their version; with a key, of those
    /// that count it.
    package var unknownVersions: Int?

    package init(since: Date, totals: [FeedbackSum], isCut: Bool? = nil, devices: [FeedbackDevice]? = nil) {
        self.since = since
        self.totals = totals
        self.isCut = isCut
        self.devices = devices
    }
}

/// The sum of one number, for one version of the dictionary.
package struct FeedbackSum: Codable, Hashable, Sendable {
    package var key: String
    /// The version of the app's dictionary; nil if the app had none.
    package var configuration: String?
    /// True for the sum of all versions that have no sum of their own; else nil.
    package var isOfOthers: Bool?
    package var sum: Double
    /// In a sum of several versions, a device that had several of them may count more than once.
    package var devices: Int

    package init(key: String, configuration: String?, isOfOthers: Bool? = nil, sum: Double, devices: Int) {
        self.key = key
        self.configuration = configuration
        self.isOfOthers = isOfOthers
        self.sum = sum
        self.devices = devices
    }
}

/// The sum of a number on one device.
package struct FeedbackDevice: Codable, Hashable, Sendable {
    package var device: String
    package var sum: Double

    package init(device: String, sum: Double) {
        self.device = device
        self.sum = sum
    }
}

/// Whose feedback is asked for: an app's, or all apps'. `POST /devices/{device}/feedback/fetch`
package struct FeedbackFetchRequest: Codable, Hashable, Sendable {
    package var app: String?

    package init(app: String? = nil) {
        self.app = app
    }
}
