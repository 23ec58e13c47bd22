import AdminMessages
import ArgumentParser

/// The command `martlet secret set`.
struct SecretSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a secret; the apps that use it get the new version at once.",
        discussion: """
            Without --certificate, --pkcs12, --scep or --acme it is a password, which is asked for at the terminal. A \
            value is never an argument: those stand in the list of processes and in the shell's history. Without --url \
            this server's own authority issues the certificates of --scep and --acme.

            A new version has only what you give here; nothing is taken over from the version before. If that one has a user \
            name, another authority (--url) or a key in the chip (--hardware-bound, --attest) that you do not give again, \
            nothing is set. Then give it again, or say with --replace that the new version is without it.

              martlet secret set wifi --user-name guest --password-stdin < password.txt
              martlet secret set proxy-root --certificate root.pem
              martlet secret set badge --pkcs12 badge.p12 --password-stdin < password.txt
              martlet secret set client --scep --url https://ca.example.com/scep \\
                --subject 'CN=${device.serialNumber},O=Example'
              martlet secret set client --scep --subject 'CN=${device.serialNumber}'
              martlet secret set client --acme --url https://ca.example.com/directory \\
                --hardware-bound --attest --subject 'CN=${device.serialNumber}'
            """)

    @Argument(help: "The secret's name, by which administrators know it.")
    var name: String

    @OptionGroup var options: SecretOptions

    @Option(
        help: ArgumentHelp(
            "What the value is to be known by, such as a date; shown, and compared by martlet apply.",
            valueName: "marker"))
    var marker: String?

    @Flag(help: "Set it without what only the version before has, such as a user name.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Only if this is still the newest version; 0 if there must be none yet.", valueName: "version"))
    var ifVersion: Int?

    @OptionGroup var output: Output

    func run() async throws {
        let answer: Secret = try await Server.inSession { server in
            // Nobody types a password for a session that is over.
            let request = try options.request(named: name)
            for _ in 1..<Self.attempts where ifVersion == nil {
                do {
                    return try await set(request, server)
                } catch let failure as Failure where failure.isChangedMeanwhile {
                    // Somebody else set it in between: what theirs has is looked at, too.
                }
            }
            return try await set(request, server)
        }
        try output.print(answer) { SecretText.sentence(about: answer) }
    }

    private static let attempts = 10

    /// Sets it on top of what is there, of which nothing goes unmentioned.
    private func set(_ request: SecretRequest, _ server: Server) async throws -> Secret {
        let present = try await present(server)
        if !replace, let present, let failure = SecretLoss.failure(of: present, by: request) { throw failure }
        return try await server.holding(to: ifVersion ?? present?.version ?? 0, at: ["secrets", name]) { condition in
            try await server.send(
                .put, ["secrets", name], query: marker.map { [("marker", $0)] } ?? [], body: .init(json: request),
                headers: condition)
        }.decoded()
    }

    private func present(_ server: Server) async throws -> Secret? {
        do {
            let secret: Secret = try await server.get("secrets", name)
            return secret
        } catch let failure as Failure where failure.status == .notFound {
            return nil
        }
    }
}
