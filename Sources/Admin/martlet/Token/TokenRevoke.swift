import ArgumentParser

/// The command `martlet token revoke`.
struct TokenRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "revoke", abstract: "End an API token, at once.")

    @Argument(help: "The token's ID in the list.")
    var id: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("tokens", id) }
        try output.done(["id": id]) { "Revoked the API token \(Printable.line(id))." }
    }
}
