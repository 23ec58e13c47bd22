package import DeviceMessages
package import Foundation

/// The app or extension whose decoder tries a configuration.
package struct TrialSubject: Sendable, Equatable {
    package let app: String
    /// The app's extension that is meant, if it is not the app itself.
    package let `extension`: String?

    package init(app: String, extension: String? = nil) {
        self.app = app
        self.extension = `extension`
    }
}

/// Where a trial stands.
package struct Trial: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// The device has not asked for it yet.
        case waiting
        /// The device has it, and has not answered.
        case running
        case ended(TrialVerdict)
        /// It was not sent: the device's agent does not know trials.
        case unsupportedDevice
        /// It was not sent: the device has no value for these variables.
        case missingValues([String])
        /// Nobody answered in time; it is not run any more.
        case expired
        /// The device left before it answered.
        case cancelled
        /// The device could not, for a reason of its own.
        case failed
    }

    /// The command by which it travels, if it was sent.
    package let uuid: String?
    package let state: State
    package let expires: Date?
    /// What the app publishes about the code with which it refused.
    package var explanation: RefusalExplanation?

    package init(uuid: String? = nil, state: State, expires: Date? = nil) {
        self.uuid = uuid
        self.state = state
        self.expires = expires
    }

    /// Reads the state of a command; one whose time is over has expired, whether or not that is on record yet.
    init(_ command: QueuedCommand, now: Date) {
        let isOver = command.expires.map { $0 <= command.finished ?? now } ?? false
        let state: State =
            switch command.state {
            case .queued, .sent: isOver ? .expired : command.state == .queued ? .waiting : .running
            case .dropped, .retired: isOver ? .expired : .cancelled
            case .acknowledged: Self.verdict(of: command).map { .ended($0) } ?? .failed
            case .error, .commandFormatError: .failed
            }
        self.init(uuid: command.uuid, state: state, expires: command.expires)
    }

    private static func verdict(of command: QueuedCommand) -> TrialVerdict? {
        guard let result = command.result, let report = try? CommandReport(parsing: result) else { return nil }
        return try? TrialVerdict(report.contents)
    }
}

/// The bounds of trials.
package enum TrialLimits {
    /// How long a device may take, in seconds.
    package static let patience = 1...600
}
