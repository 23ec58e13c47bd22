import AdminMessages
import ArgumentParser

/// The command `martlet secret show`.
struct SecretShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a secret is, who may use it and who last got it; not its value.")

    @Argument(help: "The secret's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let shown = try await Server.inSession { server in
            Shown(
                secret: try await server.get("secrets", name),
                assignments: try await server.list("secret-assignments", query: [("secret", name)]),
                releases: try await server.list(
                    "audit", query: [("action", "secret.release"), ("subject", name)], first: Self.releases),
                certificates: try await server.list(
                    "audit", query: [("action", "identity.issue"), ("subject", name)], first: Self.releases))
        }
        try output.print(shown) {
            SecretText(shown.secret, shown.assignments, shown.releases, certificates: shown.certificates)
                .text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }

    /// A secret of a large fleet goes to many devices; `martlet audit list` tells of all.
    private static let releases = 100

    /// What `--json` prints.
    private struct Shown: Encodable {
        let secret: Secret
        let assignments: [SecretAssignment]
        /// The newest audit entries of devices that were given the secret.
        let releases: [AuditEntry]
        /// The newest audit entries of certificates that this server's authority issued for it.
        let certificates: [AuditEntry]
    }
}
