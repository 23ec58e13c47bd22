import AdminMessages
import ArgumentParser

/// The command `martlet app show`.
struct AppShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an app and its configurations.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let (found, configurations) = try await Server.inSession { server in
            (
                try await server.get("apps", app) as App,
                try await server.list("apps", app, "configurations") as [ConfigurationSummary]
            )
        }
        try output.print(Shown(app: found, configurations: configurations)) {
            var facts = Facts()
            facts.add("app", found.bundleIdentifier)
            facts.add("name", found.name)
            facts.add("team", found.teamIdentifier)
            guard !configurations.isEmpty else { return facts.text }
            return facts.text + "\n\n"
                + ConfigurationList.table(configurations).text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }

    /// What `--json` prints.
    private struct Shown: Encodable {
        let app: App
        let configurations: [ConfigurationSummary]
    }
}
