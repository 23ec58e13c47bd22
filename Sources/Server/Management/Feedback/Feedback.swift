package import DeviceMessages
package import Foundation
import InputBounds

/// What an app on a device counted in one life of its feedback, as the server keeps it.
package struct FeedbackRecord: Sendable, Equatable {
    /// In the order in which they came.
    package let number: Int
    package let device: String
    package let status: AppFeedbackStatus
    package let received: Date
    /// Which version the dictionary was that the app had, where the server knows it.
    package let version: FeedbackVersion?

    package init(
        number: Int, device: String, status: AppFeedbackStatus, received: Date, version: FeedbackVersion? = nil
    ) {
        self.number = number
        self.device = device
        self.status = status
        self.received = received
        self.version = version
    }
}

/// Which feedback is asked for: an app's, a device's, or an app's on a device.
package struct FeedbackFilter: Sendable, Equatable {
    package var app: String?
    package var device: String?
    /// Of lives that ended then or later.
    package var since: Date?

    package init(app: String? = nil, device: String? = nil, since: Date? = nil) {
        self.app = app
        self.device = device
        self.since = since
    }
}

/// The sum of one number of an app's feedback, for one version of the dictionary that the app had.
package struct FeedbackTotal: Sendable, Equatable {
    package let key: String
    /// The version of the dictionary, as devices say it; empty for none, and nothing for all that are not told apart.
    package let configuration: String?
    package let sum: Double
    package let devices: Int

    package init(key: String, configuration: String?, sum: Double, devices: Int) {
        self.key = key
        self.configuration = configuration
        self.sum = sum
        self.devices = devices
    }
}

/// The sums of an app's feedback, those of the keys that its specification names first.
package struct FeedbackTotals: Sendable, Equatable {
    package let totals: [FeedbackTotal]
    /// Whether the totals leave out keys, or sum several versions of the dictionary together.
    package let isCut: Bool

    package init(totals: [FeedbackTotal], isCut: Bool) {
        self.totals = totals
        self.isCut = isCut
    }
}

/// A device whose apps counted more than was asked for.
package struct FeedbackOutlier: Sendable, Equatable {
    package let device: String
    package let sum: Double

    package init(device: String, sum: Double) {
        self.device = device
        self.sum = sum
    }
}

/// The bounds of what is kept of feedback.
package enum FeedbackLimits {
    /// Lives of one app on one device; beyond it the oldest go.
    package static let lives = 500
    /// Lives are kept so long.
    package static let seconds: TimeInterval = 90 * 24 * 3_600
    /// How far back sums reach by default.
    package static let summedSeconds: TimeInterval = 7 * 24 * 3_600
    /// Numbers of one life that are summed.
    package static let numbers = 64
    /// The longest key of a number that is summed, in bytes.
    package static let keyBytes = 128
    /// The most keys in the sums beside those that the app's specification names.
    package static let keys = 100
    /// The most versions of the dictionary with sums of their own; all others are summed together.
    package static let dictionaries = 10
    /// The most devices above a bound in one answer.
    package static let told = 500
    /// Sums by hour are kept so long; sums by day as long as lives.
    package static let hourlySeconds: TimeInterval = 8 * 24 * 3_600
    /// The most sums of an app in a day, each of a key with one dictionary, beside those of a key that a specification
    /// names with a dictionary that is a version of a configuration.
    package static let sums = 4_096
    /// The most sums in a day of keys that no specification names, with the dictionaries that have no sums of their own.
    package static let foldedSums = 1_024
    /// The most of these sums that one device adds to the day.
    package static let sumsOfDevice = 512
    /// The most sums of an app of which a device's part is remembered, so that it counts as one device.
    package static let remembered = 2_048
}

extension AppFeedbackStatus {
    /// The numbers that are summed: those of the outermost dictionary, by their keys.
    package var numbers: [(key: String, value: Double)] {
        let entries = (try? Self.dictionary(feedback)) ?? [:]
        var numbers: [(key: String, value: Double)] = []
        for (key, entry) in entries.sorted(by: { $0.key < $1.key }) where key.utf8.count <= FeedbackLimits.keyBytes {
            guard numbers.count < FeedbackLimits.numbers else { break }
            switch entry {
            case .integer(let number): numbers.append((key, Double(number)))
            case .unsigned(let number): numbers.append((key, Double(number)))
            case .real(let number) where number.isFinite: numbers.append((key, number))
            default: continue
            }
        }
        return numbers
    }
}
