package import DeviceMessages
import Foundation
import InputBounds

/// What an installation is at, right now; nothing of it outlives the agent.
package enum InstallProgress: Equatable, Sendable {
    /// The part of the package that is here, in hundredths, if the whole is known.
    case downloading(percent: Int?)
    case installing
}

/// Where a declared app stands on this device, in the protocol's words.
package struct AppStanding: Equatable, Sendable {
    package enum State: String, Sendable {
        case optional
        case queued
        case notPresent = "not-present"
        case downloading
        case installing
        case managed
        case managedButUninstalled = "managed-but-uninstalled"
        case failed
    }

    package enum UpdateState: String, Sendable {
        case available, updating, failed
    }

    package let state: State
    package let update: UpdateState?
    package let reasons: [StatusReason]

    /// Whether the app gets its configuration.
    package var isManaged: Bool { state == .managed }

    /// Whether an app lies here that has the identifier of the one that is meant, and is another team's.
    package let isBorrowed: Bool

    /// Whether an app of this name has to be told apart from others of the name, or is the only one.
    var isNamed: Bool { isManaged || isBorrowed }

    private static let otherTeam = "The app on the device is not signed by the team that is meant."

    /// Judges by what was declared, what lies on the device and what is being done.
    package init(
        _ app: AppliedApp, of bundle: String, in state: AgentState, present: AppBundle?, progress: InstallProgress?,
        separatesData: Bool, isBorrowed: Bool = false
    ) {
        self.isBorrowed = isBorrowed
        let installation = state.installations[bundle]
        let failure = installation?.failure
        let wanted = state.wants(app, bundle)
        guard let source = app.manifest else {
            update = nil
            if isBorrowed {
                self.state = .failed
                reasons = [StatusReason(code: InstallRefusal.signature, description: Self.otherTeam)]
                return
            }
            reasons = []
            self.state = present == nil ? .notPresent : wanted ? .managed : .optional
            return
        }
        if state.installed[bundle] != nil {
            self.state = present == nil ? .managedButUninstalled : .managed
            if progress != nil || installation?.isAsked == true {
                (update, reasons) = (.updating, [])
            } else if let failure, failure.serverToken == source.serverToken {
                (update, reasons) = (.failed, [failure.reason(code: "Error.UpdateFailed")])
            } else if installation?.newer != nil {
                (update, reasons) = (.available, [StatusReason(code: "Info.UpdateAvailable")])
            } else {
                (update, reasons) = (nil, [])
            }
            return
        }
        update = nil
        switch progress {
        case .downloading: (self.state, reasons) = (.downloading, [])
        case .installing: (self.state, reasons) = (.installing, [])
        case nil:
            if !wanted {
                (self.state, reasons) = (.optional, [])
            } else if present != nil, separatesData {
                (self.state, reasons) = (.failed, [StatusReason(code: "Error.UnmanagedAppAlreadyInstalled")])
            } else if let failure, failure.serverToken == source.serverToken {
                (self.state, reasons) = (.failed, [failure.reason(code: failure.code)])
            } else {
                (self.state, reasons) = (.queued, [])
            }
        }
    }
}

extension Installation.Failure {
    /// The failure in the protocol's words; those of downloads and installations say when.
    func reason(code: String) -> StatusReason {
        var details: [String: JSONValue] = ["Error": .string(sentence)]
        if ["Error.DownloadFailed", "Error.InstallFailed", "Error.UpdateFailed"].contains(code) {
            details["Timestamp"] = .string(PropertyListValue.text(of: at))
        }
        return StatusReason(code: code, description: sentence, details: .object(details))
    }
}
