import AdminMessages
import ArgumentParser

/// The command `martlet app show`.
struct AppShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an app, its sources, its configurations and the secrets it may use.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let (found, sources, configurations, secrets) = try await Server.inSession { server in
            (
                try await server.get("apps", app) as App,
                try await server.list("apps", app, "sources") as [AppSource],
                try await server.list("apps", app, "configurations") as [ConfigurationSummary],
                try await server.list("secret-assignments", query: [("app", app)]) as [SecretAssignment]
            )
        }
        try output.print(Shown(app: found, sources: sources, configurations: configurations, secrets: secrets)) {
            var facts = Facts()
            facts.add("app", found.bundleIdentifier)
            facts.add("name", found.name)
            facts.add("team", found.teamIdentifier)
            let tables = [
                AppSourceText.table(sources), ConfigurationList.table(configurations), SecretText.table(secrets),
            ]
            return
                ([facts.text]
                + tables.filter { !$0.isEmpty }.map { $0.text(bold: Terminal.mayStyle, within: Terminal.columns) })
                .joined(separator: "\n\n")
        }
    }

    /// What `--json` prints.
    private struct Shown: Encodable {
        let app: App
        let sources: [AppSource]
        let configurations: [ConfigurationSummary]
        let secrets: [SecretAssignment]
    }
}
