package import Foundation

/// A configuration that an app on a device was asked to decode. `POST /devices/{id}/apps/{app}/configuration-trials`
package struct ConfigurationTrial: Codable, Hashable, Sendable {
    /// Where to ask again; nothing when it was not sent.
    package var id: String?
    package var state: TrialState
    /// Why it was not tried.
    package var reason: TrialReason?
    /// The variables for which the device has no value.
    package var missing: [String]?
    /// How the app refused it.
    package var refusal: TrialRefusal?
    /// When it is taken back.
    package var expires: Date?
    /// What the app's specifications say about it, in the answer to the request that began it.
    package var check: ConfigurationCheck?

    package init(
        id: String? = nil, state: TrialState, reason: TrialReason? = nil, missing: [String]? = nil,
        refusal: TrialRefusal? = nil, expires: Date? = nil, check: ConfigurationCheck? = nil
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.missing = missing
        self.refusal = refusal
        self.expires = expires
        self.check = check
    }
}

/// How an app refused what it tried: as it would refuse a configuration, and never the value.
package struct TrialRefusal: Codable, Hashable, Sendable {
    package var code: Int
    package var message: String?
    package var keyPath: String?
    /// Whether the path is where the decoder was, not what the error named.
    package var keyPathSupplied: Bool
    /// The app's name of what refused to be decoded.
    package var type: String?
    /// What the code means and what to do about it, as the app publishes it.
    package var explanation: RefusalExplanation?

    package init(
        code: Int, message: String? = nil, keyPath: String? = nil, keyPathSupplied: Bool = false, type: String? = nil,
        explanation: RefusalExplanation? = nil
    ) {
        self.code = code
        self.message = message
        self.keyPath = keyPath
        self.keyPathSupplied = keyPathSupplied
        self.type = type
        self.explanation = explanation
    }
}

/// Where a trial stands.
package struct TrialState: Word {
    /// The device has not asked for it yet.
    package static let waiting = TrialState(rawValue: "waiting")
    /// The device has it, and has not answered.
    package static let running = TrialState(rawValue: "running")
    package static let accepted = TrialState(rawValue: "accepted")
    package static let refused = TrialState(rawValue: "refused")
    /// No decoder has said anything; the reason says why.
    package static let untried = TrialState(rawValue: "untried")
    /// The device did not answer in time; it will not run any more.
    package static let expired = TrialState(rawValue: "expired")
    /// The device left before it answered.
    package static let cancelled = TrialState(rawValue: "cancelled")
    /// The device answered with an error.
    package static let failed = TrialState(rawValue: "failed")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Whether nothing more will happen to the trial.
    package var isFinal: Bool { ![Self.waiting, .running].contains(self) }
}

/// Why a configuration was not tried.
package struct TrialReason: Word {
    /// The device's agent does not announce that it can.
    package static let unsupportedDevice = TrialReason(rawValue: "unsupportedDevice")
    /// The device has no value for some of its variables.
    package static let missingValues = TrialReason(rawValue: "missingValues")
    package static let notManaged = TrialReason(rawValue: "notManaged")
    package static let notInstalled = TrialReason(rawValue: "notInstalled")
    package static let needsFullAccess = TrialReason(rawValue: "needsFullAccess")
    package static let notRunning = TrialReason(rawValue: "notRunning")
    package static let notIterating = TrialReason(rawValue: "notIterating")
    package static let unsupported = TrialReason(rawValue: "unsupported")
    package static let timedOut = TrialReason(rawValue: "timedOut")
    package static let ended = TrialReason(rawValue: "ended")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
