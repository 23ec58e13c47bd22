package import AdminMessages

/// What came of a command for every device of a group, as people read it.
package enum GroupCommandText {
    /// Why the tool ends with another status, where the command was not queued for every device.
    package static func failure(_ result: GroupCommandResult, job: String) -> Failure? {
        guard result.refused > 0 else { return nil }
        let first = result.refusals.map { "\(Printable.line($0.device)): \(Printable.line($0.reason))" }
        return Failure(
            .refused, "the command was refused for \(result.refused) of \(result.queued + result.refused) devices",
            advice: (first + ["martlet job show \(Printable.line(job)) says the same."]).joined(separator: "\n"))
    }

    package static func sentence(_ result: GroupCommandResult, group: String) -> String {
        let warnings = (result.warnings ?? []).map { "\nwarning: \(Printable.line($0))" }.joined()
        return "Queued for \(Count.text(result.queued, "device")) of \(Printable.line(group)).\(warnings)"
    }
}
