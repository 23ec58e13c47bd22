import AdminMessages
import ArgumentParser

/// The command `martlet secret unassign`.
struct SecretUnassign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Take a secret from an app of a group.",
        discussion: """
            The app stops finding it as soon as its device hears of it; the server hands it out no more from now on.

              martlet secret unassign teachers com.example.app --identifier wifi
            """)

    @OptionGroup var place: SecretPlace

    @Option(
        help: ArgumentHelp(
            "password, certificate or identity, where the app has several of one identifier.", valueName: "kind"))
    var kind: String?

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func validate() throws {
        if let kind, !["password", "certificate", "identity"].contains(kind) {
            throw ValidationError("--kind is password, certificate or identity")
        }
    }

    func run() async throws {
        let gone = try await Server.inSession { server in
            let all: [SecretAssignment] = try await server.list(
                "secret-assignments", query: [("group", place.group), ("app", place.app)])
            let found = all.filter { item in
                item.identifier == place.identifier && item.extension == place.bundle
                    && kind.map { $0 == item.kind.rawValue } ?? true
            }
            guard let item = found.first else {
                throw Failure(
                    .notFound, "the app has no such secret in this group",
                    advice: "martlet app show \(Printable.line(place.app)) shows its secrets.")
            }
            guard found.count == 1 else {
                throw Failure(
                    .refused, "the app has several secrets of this identifier",
                    advice: "Say which: "
                        + found.map { "--kind \(Printable.line($0.kind.rawValue))" }.joined(separator: " or "))
            }
            let path = place.path(item.kind)
            _ = try await server.send(
                .delete, path, query: place.query,
                headers: server.headers(condition, path, query: place.query, as: SecretAssignment.self))
            return item
        }
        try output.print(gone) {
            "\(place.text) no longer gets the \(gone.kind) \(Printable.line(place.identifier))."
        }
    }
}
