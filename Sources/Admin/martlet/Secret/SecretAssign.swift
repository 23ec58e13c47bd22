import AdminMessages
import ArgumentParser

/// The command `martlet secret assign`.
struct SecretAssign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Give a secret to an app of a group.",
        discussion: """
            The app finds it under the identifier that its developer documents. Another secret that the group gets under \
            the same identifier is replaced only with --replace or --if-same. One for which the app does not ask, by its \
            specification, is refused unless it is forced.

              martlet secret assign teachers com.example.app --identifier wifi --secret wifi
              martlet secret assign teachers com.example.app --identifier vpn --secret client \\
                --extension com.example.app.tunnel
            """)

    @OptionGroup var place: SecretPlace

    @Option(help: ArgumentHelp("The secret.", valueName: "name"))
    var secret: String

    @Flag(help: "Replace another secret that the app of the group gets under this identifier.")
    var replace = false

    @Flag(help: "Assign it although the app's specification knows no such secret.")
    var force = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let answer: SecretAssignment = try await Server.inSession { server in
            let found: Secret = try await server.get("secrets", secret)
            guard let kind = AppSecretKind(of: found.kind) else {
                throw Failure(
                    .failed, "this tool does not know this kind of secret", advice: "Is it older than the server?")
            }
            let path = place.path(kind)
            return try await server.send(
                .put, path, query: place.query + (force ? [("force", "true")] : []),
                body: .init(json: SecretAssignmentRequest(secret: secret)),
                headers: headers(server, path)
            ).decoded()
        }
        try output.print(answer) {
            "\(place.text) gets the secret \(Printable.line(secret)) as the \(answer.kind) "
                + "\(Printable.line(place.identifier))."
        }
    }

    /// What must be there for the secret to take its place; another one is not replaced unless somebody says so.
    private func headers(_ server: Server, _ path: [String]) async throws -> [(String, String)] {
        guard !condition.ifNone, condition.same.ifSame == nil else {
            return try await server.headers(condition, path, query: place.query, as: SecretAssignment.self)
        }
        guard !replace else { return [] }
        let present = try await server.present(at: path, query: place.query)
        let there = try present?.decoded(SecretAssignment.self)
        if let there, there.secret != secret {
            throw Failure(
                .refused,
                "\(place.text) gets another secret under this identifier: \(Printable.line(there.secret)); "
                    + "nothing was changed",
                advice: "martlet secret assigned shows it; --replace replaces it.")
        }
        return server.headers(onTopOf: present)
    }
}

/// Where an app finds a secret.
struct SecretPlace: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("Under what the app asks for it, as its developer chose.", valueName: "id"))
    var identifier: String

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "An extension of the app, which alone gets it.", valueName: "bundle"))
    var bundle: String?

    func path(_ kind: AppSecretKind) -> [String] {
        ["secret-assignments", group, app, kind.rawValue, identifier]
    }

    var query: [(String, String)] { bundle.map { [("extension", $0)] } ?? [] }

    var text: String {
        let owner = bundle.map { "\(Printable.line($0)) in \(Printable.line(app))" } ?? Printable.line(app)
        return "\(owner) of \(Printable.line(group))"
    }
}
