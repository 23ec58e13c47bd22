package import AdminMessages

/// What came of a trial, as people read it, and what to do about it.
package enum TrialText {
    package static func sentence(_ trial: ConfigurationTrial, app: String, device: String) -> String {
        let (app, device) = (Printable.line(app), Printable.line(device))
        guard trial.state != .accepted else { return "\(app) on \(device) accepts the configuration." }
        guard trial.state == .refused, let refusal = trial.refusal else {
            return "\(app) on \(device) said nothing about the configuration."
        }
        var facts = Facts()
        facts.add("code", "\(refusal.code)")
        if let message = refusal.message { facts.add("message", Printable.line(message)) }
        if let path = refusal.keyPath {
            facts.add("key path", Printable.line(path) + (refusal.keyPathSupplied ? " (where the decoder was)" : ""))
        }
        if let type = refusal.type { facts.add("decoded as", Printable.line(type)) }
        if let explanation = refusal.explanation { RefusalText.add(explanation, to: &facts) }
        return "\(app) on \(device) refuses the configuration.\n" + facts.text
    }

    /// Why the command ends with another status than 0; nothing when the app took the configuration.
    package static func failure(_ trial: ConfigurationTrial, device: String, within time: TimeSpan) -> Failure? {
        let device = Printable.line(device)
        switch trial.state {
        case .accepted: return nil
        case .refused:
            return Failure(
                .refused, "the app refuses the configuration", advice: "Nothing was changed. Correct it and try again.")
        case .untried:
            let (reason, advice) = obstacle(trial, device: device)
            return Failure(.failed, reason, advice: advice)
        case .cancelled:
            return Failure(
                .failed, "the device's enrollment ended before it answered",
                advice: "martlet device list shows the enrolled ones.")
        case .failed:
            return Failure(
                .failed, "the device could not try the configuration",
                advice: "martlet device commands \(device) says what it answered.")
        case .running:
            return Failure(
                .failed, "the device has the configuration and did not answer within \(time.defaultValueDescription)",
                advice: "Its answer is not waited for any more. Try again.")
        default:
            return Failure(
                .failed, "the device did not answer within \(time.defaultValueDescription)",
                advice: "The trial was taken back and will not run. martlet device show \(device) says when the device "
                    + "was last seen.")
        }
    }

    private static func obstacle(_ trial: ConfigurationTrial, device: String) -> (reason: String, advice: String) {
        switch trial.reason {
        case .unsupportedDevice?:
            (
                "the device's agent does not announce that it has apps try configurations; nothing was sent",
                "It needs a newer martlet-agent, or is not Martlet's. Choose another device: martlet device list"
            )
        case .missingValues?:
            (
                "the device has no value for "
                    + (trial.missing ?? []).map { Printable.line("${\($0)}") }.joined(separator: ", ")
                    + "; nothing was sent",
                "martlet device show \(device) shows its person; martlet person set gives values."
            )
        case .notManaged?:
            ("the device does not manage the app", "Assign the app first: martlet assign <group> <app>")
        case .notInstalled?:
            (
                "the app, or the extension, is not installed on the device",
                "martlet device apps \(device) shows what is there."
            )
        case .needsFullAccess?:
            (
                "the extension is of a restricted kind and was not granted full access",
                "Somebody at the device grants it: martlet-agent app full-access"
            )
        case .notRunning?:
            (
                "the app does not run on the device",
                "Only a running app can say. Open it there: martlet-agent open <app>"
            )
        case .notIterating?:
            (
                "the app runs, and nothing in it reads configurations",
                "Its loop over configurations(_:) has to be waiting; an app that has just been opened may need a moment."
            )
        case .unsupported?:
            (
                "the app cannot try configurations",
                "It reads them without the ManagedApp library, or was built with one that is too old for it."
            )
        case .timedOut?:
            (
                "the app did not say anything in time",
                "Its decoder or the loop around it is busy. Try again, or restart the app."
            )
        case .ended?:
            ("the app ended while it tried the configuration", "Look at what the app wrote before it ended.")
        default: ("the configuration was not tried", "The device said why in a way that this tool does not know.")
        }
    }
}
