import AdminMessages
import ArgumentParser

/// The command `martlet secret list`.
struct SecretList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the secrets, without their values.")

    @OptionGroup var output: Output

    func run() async throws {
        let secrets: [Secret] = try await Server.inSession { try await $0.list("secrets") }
        try output.print(secrets, nothing: "No secrets yet: martlet secret set <name> --user-name <user>") {
            SecretText.list(secrets)
        }
    }
}
