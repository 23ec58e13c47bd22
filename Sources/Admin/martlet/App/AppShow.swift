import AdminMessages
import ArgumentParser

/// The command `martlet app show`.
struct AppShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an app, how it fares on devices, its sources, configurations and secrets.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let (found, states, versions, sources, configurations, secrets) = try await Server.inSession { server in
            (
                try await server.get("apps", app) as App,
                try await server.get("apps", app, "states") as AppStates,
                try await server.list("apps", app, "versions") as [AppVersionSummary],
                try await server.list("apps", app, "sources") as [AppSource],
                try await server.list("apps", app, "configurations") as [ConfigurationSummary],
                try await server.list("secret-assignments", query: [("app", app)]) as [SecretAssignment]
            )
        }
        let shown = Shown(
            app: found, states: states, versions: versions, sources: sources, configurations: configurations,
            secrets: secrets)
        try output.print(shown) {
            var facts = Facts()
            facts.add("app", found.bundleIdentifier)
            facts.add("name", found.name)
            facts.add("team", found.teamIdentifier)
            facts.add("not in order", AppStateText.notInOrder(states))
            let tables = [
                AppStateText.table(states), Self.table(versions), AppSourceText.table(sources),
                ConfigurationList.table(configurations),
                SecretText.table(secrets),
            ]
            return
                ([facts.text]
                + tables.filter { !$0.isEmpty }.map { $0.text(bold: Terminal.mayStyle, within: Terminal.columns) })
                .joined(separator: "\n\n")
        }
    }

    private static func table(_ versions: [AppVersionSummary]) -> Table {
        var table = Table("VERSION", "DEVICES", "JUDGED BY THE SPECIFICATION OF")
        for version in versions { table.add(version.version, "\(version.devices)", version.specification) }
        return table
    }

    /// What `--json` prints.
    private struct Shown: Encodable {
        let app: App
        let states: AppStates
        let versions: [AppVersionSummary]
        let sources: [AppSource]
        let configurations: [ConfigurationSummary]
        let secrets: [SecretAssignment]
    }
}
