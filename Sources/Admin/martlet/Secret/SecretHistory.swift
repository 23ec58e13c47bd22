import AdminMessages
import ArgumentParser

/// The command `martlet secret history`.
struct SecretHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the versions of a secret, newest first; old values are forgotten.")

    @Argument(help: "The secret's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let versions: [SecretVersion] = try await Server.inSession { try await $0.list("secrets", name, "versions") }
        try output.print(versions, nothing: "No versions.") {
            var table = Table("VERSION", "SET", "BY", "EXPIRES", "NOTE")
            for version in versions {
                table.add(
                    "\(version.version)", version.created.shown, version.author, version.facts.expires?.shown,
                    SecretText.note(on: version.facts))
            }
            return table
        }
    }
}
