package import DeviceMessages
package import Foundation

/// A problem of an app on a device that an administrator has to act on.
///
/// The state of the app decides it, the same state that every view shows and the metrics count.
package enum AppAlert: String, Sendable, CaseIterable {
    /// The app refuses its configuration, or the device could not apply it.
    case refused
    /// The device could not install or update the app.
    case failed
    /// The app does not have a secret that it was given.
    case withheld

    /// The problem of an app in this state; nil if nothing is to be done about it.
    package init?(_ state: ReportedAppState) {
        switch state {
        case .refused, .unapplied: self = .refused
        case .failed: self = .failed
        case .withheld: self = .withheld
        case .decoded, .unconfigured, .unknown, .waiting, .offered: return nil
        }
    }

    /// The action of the audit log that records the beginning of the problem.
    package var action: AuditEntry.Action {
        switch self {
        case .refused: .alertRefused
        case .failed: .alertFailed
        case .withheld: .alertWithheld
        }
    }
}

/// The problems of one app on one device that were recorded, and which of them still stand.
///
/// A problem is recorded when it begins. It stands until the app is in order or no longer managed: an installation
/// that is tried again and fails again is the same problem.
package struct AppAlerts: Sendable, Equatable {
    /// The least time between two records of the same problem, in seconds.
    ///
    /// A device that reports good and bad states in turn cannot fill the audit log.
    package static let interval: TimeInterval = 3_600

    /// When a problem was last recorded, and whether it has not ended since.
    package struct Record: Sendable, Equatable {
        package let recorded: Date
        package let stands: Bool

        package init(recorded: Date, stands: Bool) {
            self.recorded = recorded
            self.stands = stands
        }
    }

    package private(set) var records: [AppAlert: Record]

    package init(_ records: [AppAlert: Record] = [:]) { self.records = records }

    /// Applies a newly reported state, nil for an app that is no longer managed; returns the problem to record.
    package mutating func apply(_ state: ReportedAppState?, now: Date) -> AppAlert? {
        guard let state, !state.isInOrder else {
            // A recent record is kept to limit how often the same problem is recorded.
            records = records.filter { Self.isRecent($0.value, now) }
                .mapValues { Record(recorded: $0.recorded, stands: false) }
            return nil
        }
        guard let alert = AppAlert(state) else { return nil }
        if let known = records[alert], known.stands || Self.isRecent(known, now) { return nil }
        records[alert] = Record(recorded: now, stands: true)
        return alert
    }

    /// A time in the future was written by a clock that was ahead, and limits nothing.
    private static func isRecent(_ record: Record, _ now: Date) -> Bool {
        (0..<interval).contains(now.timeIntervalSince(record.recorded))
    }
}
