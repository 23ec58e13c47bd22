package import DeviceMessages
package import Foundation

/// A command to a device, and what came of it.
package struct QueuedCommand: Sendable, Equatable {
    package enum State: String, Sendable {
        case queued
        case sent
        case acknowledged
        case error
        case commandFormatError
        /// The enrollment it was meant for ended or began anew before the command did, or the command expired.
        case dropped
        /// The command is not sent again, and the device may have carried it out: an administrator took it back after it
        /// was sent, or a backup was put back in which it was unfinished. An answer that comes later stands beside it.
        case retired

        package var isOpen: Bool { self == .queued || self == .sent }
    }

    package let uuid: String
    package let requestType: String
    /// The whole command document, as it is sent.
    package let document: Data
    package let state: State
    /// The device's last answer to it was NotNow.
    package let deferred: Bool
    package let author: String
    package let created: Date
    package let sent: Date?
    package let finished: Date?
    /// The whole answer as an XML property list, or as it came where it could be read only in part; nothing when it was
    /// larger than the bound.
    package let result: Data?
    package let resultTooLarge: Bool
    /// When it is taken back if the device has not answered; with that or with the answer its document goes.
    package let expires: Date?
    /// Keys of configurations in it whose values look like secrets, for the audit log; nothing of one that was kept.
    package var suspectedSecrets: [String] = []

    package init(
        uuid: String, requestType: String, document: Data, state: State, deferred: Bool, author: String, created: Date,
        sent: Date?, finished: Date?, result: Data?, resultTooLarge: Bool, expires: Date? = nil
    ) {
        self.uuid = uuid
        self.requestType = requestType
        self.document = document
        self.state = state
        self.deferred = deferred
        self.author = author
        self.created = created
        self.sent = sent
        self.finished = finished
        self.result = result
        self.resultTooLarge = resultTooLarge
        self.expires = expires
    }
}

/// A command that was queued, and what there is to say of it.
package struct SentCommand: Sendable, Equatable {
    package let command: QueuedCommand
    /// A sentence each; most often none.
    package let warnings: [String]
}

/// The bounds of the command queue.
package enum CommandLimits {
    /// Unfinished commands of one device; more means that nobody looks.
    package static let open = 1_000
    /// A command document: an InstallProfile may hold a large profile.
    package static let documentBytes = 1_048_576
    /// Unfinished trials of one device: each holds a configuration.
    package static let openTrials = 4
    /// A kept result.
    package static let resultBytes = 262_144
    /// Finished commands kept of each device.
    package static let finished = 1_000
    /// Finished commands are kept so long.
    package static let finishedSeconds: TimeInterval = 90 * 24 * 3_600
}

/// What a device reports about a command, as far as the queue needs it.
package struct CommandResult: Sendable, Equatable {
    package enum Verdict: String, Sendable {
        case acknowledged
        case error
        case commandFormatError
        case notNow
    }

    package let uuid: String
    package let verdict: Verdict
    package let document: Data?
    package let tooLarge: Bool
    /// What apps counted, where the answer is the only place that has it: it is kept with the answer, each life once.
    package var feedback: [AppFeedbackStatus] = []

    package init(uuid: String, verdict: Verdict, document: Data?, tooLarge: Bool) {
        self.uuid = uuid
        self.verdict = verdict
        self.document = document
        self.tooLarge = tooLarge
    }
}

/// What a device's report came to: the command to send, and whether the report was of a known command.
package struct QueueStep: Sendable, Equatable {
    package let next: QueuedCommand?
    package let knownResult: Bool
    /// Whether commands without a result are left.
    package let hasOpenCommands: Bool
    /// Whether the command to send is the one to renew the device's identity.
    package let renews: Bool

    package init(next: QueuedCommand?, knownResult: Bool, hasOpenCommands: Bool, renews: Bool = false) {
        self.next = next
        self.knownResult = knownResult
        self.hasOpenCommands = hasOpenCommands
        self.renews = renews
    }
}
