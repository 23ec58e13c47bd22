import AdminMessages
import ArgumentParser

/// The command `martlet configuration list`.
struct ConfigurationList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the configurations of an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let configurations: [ConfigurationSummary] = try await Server.inSession {
            try await $0.list("apps", app, "configurations")
        }
        try output.print(
            configurations, nothing: "No configurations yet: martlet configuration set <app> <name> --file …"
        ) {
            Self.table(configurations)
        }
    }

    static func table(_ configurations: [ConfigurationSummary]) -> Table {
        var table = Table("CONFIGURATION", "VERSION", "BYTES", "MODIFIED", "SHA-256")
        for item in configurations {
            table.add(item.name, "\(item.version)", "\(item.size)", item.modified.shown, String(item.sha256.prefix(16)))
        }
        return table
    }
}
