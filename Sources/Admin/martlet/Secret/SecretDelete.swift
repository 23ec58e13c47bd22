import ArgumentParser

/// The command `martlet secret delete`.
struct SecretDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a secret that no app uses any more, with all its versions.")

    @Argument(help: "The secret's name.")
    var name: String

    @OptionGroup var condition: IfVersion

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["secrets", name]
            _ = try await server.holding(to: condition.ifVersion, at: place) {
                try await server.send(.delete, place, headers: $0)
            }
        }
        try output.done(["secret": name]) { "Deleted the secret \(Printable.line(name))." }
    }
}
