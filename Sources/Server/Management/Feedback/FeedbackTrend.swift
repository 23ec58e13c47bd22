package import Foundation

/// The intervals by which a number of feedback is summed, in Greenwich.
package enum FeedbackInterval: String, Sendable, CaseIterable {
    case hour
    case day

    package var seconds: Int {
        switch self {
        case .hour: 3_600
        case .day: 24 * 3_600
        }
    }

    /// As many are summed at most: a week of hours, or as long as feedback is kept.
    package var most: Int {
        switch self {
        case .hour: 7 * 24
        case .day: Int(FeedbackLimits.seconds) / seconds
        }
    }

    /// As many are summed where no beginning is given: a day of hours, a month of days.
    private var usual: Int {
        switch self {
        case .hour: 24
        case .day: 30
        }
    }

    /// The beginning of the first interval that is summed: the one of `since`, as far as the bound allows.
    package func start(since: Date?, now: Date) -> Date {
        guard let since else { return beginning(of: now, back: usual - 1) }
        return max(beginning(of: since, back: 0), beginning(of: now, back: most - 1))
    }

    /// The beginning of the hour or day from which on totals are summed: hours reach back a week, and the hour in which it
    /// began.
    static func beginning(of since: Date, now: Date) -> Date {
        let isRecent = since >= now.addingTimeInterval(-FeedbackLimits.summedSeconds)
        return (isRecent ? FeedbackInterval.hour : .day).beginning(of: since, back: 0)
    }

    private func beginning(of moment: Date, back count: Int) -> Date {
        let length = TimeInterval(seconds)
        let number = (moment.timeIntervalSince1970 / length).rounded(.down) - TimeInterval(count)
        return Date(timeIntervalSince1970: number * length)
    }
}

/// The sum of a number over the lives that ended in an interval, for one version of the dictionary.
package struct FeedbackStep: Sendable, Equatable {
    /// The beginning of the interval.
    package let from: Date
    /// The version of the dictionary, as devices say it; empty for none, and nothing for all that are not told apart.
    package let configuration: String?
    package let sum: Double
    package let devices: Int

    package init(from: Date, configuration: String?, sum: Double, devices: Int) {
        self.from = from
        self.configuration = configuration
        self.sum = sum
        self.devices = devices
    }
}

/// How a number of an app's feedback went.
package struct FeedbackCourse: Sendable, Equatable {
    /// The beginning of the first interval that was summed.
    package let since: Date
    /// The oldest first; an interval in which nothing was handed over has none.
    package let steps: [FeedbackStep]

    /// Whether several versions of the dictionary are summed together.
    package var isCut: Bool { steps.contains { $0.configuration == nil } }
}

extension Management {
    /// The sums of a number of an app's feedback by interval and version of the dictionary.
    ///
    /// Each interval is summed whole. Versions beyond `FeedbackLimits.dictionaries` are summed together.
    package func feedbackTrend(
        of app: String, counting key: String, by interval: FeedbackInterval, since: Date?
    ) async throws -> Outcome<FeedbackCourse, AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        let start = interval.start(since: since, now: moment)
        let steps = try await store.feedbackSteps(
            of: app, counting: key, seconds: interval.seconds, since: start, intervals: interval.most,
            dictionaries: FeedbackLimits.dictionaries)
        return .accepted(FeedbackCourse(since: start, steps: steps))
    }
}
