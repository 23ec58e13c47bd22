import AdminMessages
import ArgumentParser

/// The command `martlet secret show`.
struct SecretShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a secret is and which apps may use it; not its value.")

    @Argument(help: "The secret's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let (secret, assignments) = try await Server.inSession { server in
            (
                try await server.get("secrets", name) as Secret,
                try await server.list("secret-assignments", query: [("secret", name)]) as [SecretAssignment]
            )
        }
        try output.print(Shown(secret: secret, assignments: assignments)) {
            SecretText(secret, assignments).text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }

    /// What `--json` prints.
    private struct Shown: Encodable {
        let secret: Secret
        let assignments: [SecretAssignment]
    }
}
