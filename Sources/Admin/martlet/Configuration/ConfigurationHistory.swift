import AdminMessages
import ArgumentParser

/// The command `martlet configuration history`.
struct ConfigurationHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the versions of a configuration, newest first.")

    @OptionGroup var configuration: ConfigurationName

    @OptionGroup var output: Output

    func run() async throws {
        let versions: [ConfigurationVersion] = try await Server.inSession {
            try await $0.list("apps", configuration.app, "configurations", configuration.name, "versions")
        }
        try output.print(versions, nothing: "No versions.") {
            var table = Table("VERSION", "CREATED", "BY", "BYTES", "SHA-256", "NOTE")
            for version in versions {
                table.add(
                    "\(version.version)", version.created.shown, version.author, "\(version.size)",
                    String(version.sha256.prefix(16)), version.revertOf.map { "takes back version \($0)" })
            }
            return table
        }
    }
}
