package import AdminMessages
import ArgumentParser

/// The command `martlet overview`.
struct OverviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overview", abstract: "Show the fleet at a glance, and what needs attention.")

    @OptionGroup var output: Output

    func run() async throws {
        let overview: Overview = try await Server.inSession { try await $0.get("overview") }
        try output.print(overview) { OverviewText.text(overview) }
    }
}

/// The fleet at a glance, as people read it.
package enum OverviewText {
    package static func text(_ overview: Overview) -> String {
        var facts = Facts()
        facts.add("devices", "\(overview.devices.enrolled)")
        facts.add("enrolling", some(overview.devices.enrolling))
        facts.add("withdrawn", some(overview.devices.withdrawn))
        facts.add("left", some(overview.devices.checkedOut))
        facts.add("silent for a week", some(overview.silent))
        facts.add("open codes", some(overview.openEnrollmentCodes))
        for name in overview.secretsWithoutValue ?? [] { facts.add("secret", "\(name) \(SecretText.lack)") }
        for app in overview.apps {
            let refusals = app.refusals == 0 ? "" : ", refused \(app.refusals) time\(app.refusals == 1 ? "" : "s")"
            let states = AppStateText.line(app)
            facts.add(app.bundleIdentifier, "on \(devices(app))\(refusals)" + (states.isEmpty ? "" : ": \(states)"))
        }
        for change in overview.changes ?? [] {
            facts.add(state(change), text(change))
        }
        facts.add("changes since", overview.changesSince.map { "\($0.shown), when the server started" })
        return facts.text
    }

    /// On how many it is, of those that get it where these are more.
    private static func devices(_ app: AppOverview) -> String {
        let all = app.concerned
        guard all > app.devices else { return "\(app.devices) device\(app.devices == 1 ? "" : "s")" }
        return "\(app.devices) of \(app.unreported.isMore ? "at least " : "")\(all) device\(all == 1 ? "" : "s")"
    }

    private static func state(_ change: ChangeJourney) -> String {
        if change.refused > 0 { return "refused" }
        if change.concernsNoDevice { return "for no device" }
        return change.hasArrived ? "arrived" : "on its way"
    }

    private static func text(_ change: ChangeJourney) -> String {
        let about = [
            change.app, change.name, change.version.map { "version \($0)" }, change.group.map { "group \($0)" },
        ]
        let refused = change.refused == 0 ? "" : ", refused on \(change.refused)"
        let arrived = "on \(change.settled) of \(change.devices)\(refused)"
        return "\(change.kind) \(about.compactMap { $0 }.joined(separator: " ")): "
            + (change.concernsNoDevice ? "no device is meant yet" : arrived)
    }

    private static func some(_ count: Int) -> String? { count == 0 ? nil : "\(count)" }
    private static func some(_ count: BoundedCount) -> String? {
        count.count == 0 ? nil : (count.isMore ? "more than " : "") + "\(count.count)"
    }
}
