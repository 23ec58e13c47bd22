import AdminMessages
import ArgumentParser

/// The command `martlet secret assigned`.
struct SecretAssigned: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assigned", abstract: "Show which secret an app of a group finds under an identifier.")

    @OptionGroup var place: SecretPlace

    @Option(help: "password, certificate or identity.", completion: .list(["password", "certificate", "identity"]))
    var kind = "password"

    @OptionGroup var output: Output

    func run() async throws {
        let found: SecretAssignment = try await Server.inSession { server in
            try await server.send(.get, place.path(AppSecretKind(rawValue: kind)), query: place.query).decoded()
        }
        try output.print(found) {
            "\(place.text) gets the secret \(Printable.line(found.secret)) as the \(found.kind) "
                + "\(Printable.line(found.identifier))."
        }
    }
}
