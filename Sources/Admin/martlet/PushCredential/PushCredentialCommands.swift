import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet push-credential …`.
struct PushCredentialCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-credential", abstract: "The certificate by which Apple devices are woken.",
        subcommands: [PushCredentialSet.self, PushCredentialShow.self, PushCredentialRemove.self])
}

/// The command `martlet push-credential set`.
struct PushCredentialSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Upload the MDM push certificate with its key.",
        discussion: """
            Apple's push certificates portal issues the certificate for a year; renew it there with the same account, so \
            that its topic stays. Apple accepts pushes to MDM clients with certificates only: a key for provider \
            tokens (--key-id, --team-id, --topic) is for another push service.
            """)

    @Option(help: ArgumentHelp("The MDM push certificate as PEM, and those above it.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key as PEM, without a passphrase.", valueName: "file"))
    var key: String

    @Option(help: "The identifier of a key for provider tokens.")
    var keyID: String?

    @Option(help: "The team of a key for provider tokens.")
    var teamID: String?

    @Option(help: "The topic of a key for provider tokens.")
    var topic: String?

    @Flag(
        help: "Accept another topic. Enrolled Apple devices are no longer woken until they enroll again."
    )
    var replaceTopic = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        func text(_ path: String) throws -> String {
            String(decoding: try CertificateFile.bytes(at: path), as: UTF8.self)
        }
        let request = PushCredentialRequest(
            certificate: try certificate.map(text), key: try text(key), keyID: keyID, teamID: teamID, topic: topic,
            replaceTopic: replaceTopic ? true : nil)
        let made: PushCredential = try await Server.inSession { server in
            let path = ["push-credential"]
            return try await server.send(
                .put, path, body: .init(json: request),
                headers: server.headers(condition, path, as: PushCredential.self)
            ).decoded()
        }
        try output.print(made) { PushCredentialText.facts(made) }
    }
}

/// The command `martlet push-credential show`.
struct PushCredentialShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the credential that wakes Apple devices, and when it ends.")

    @OptionGroup var output: Output

    func run() async throws {
        let present: PushCredential = try await Server.inSession { try await $0.get("push-credential") }
        try output.print(present) { PushCredentialText.facts(present) }
    }
}

/// The command `martlet push-credential remove`.
struct PushCredentialRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove it. Apple devices are no longer woken and connect only by themselves.")

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let path = ["push-credential"]
            _ = try await server.send(
                .delete, path, headers: server.headers(condition, path, as: PushCredential.self))
        }
        try output.done([:]) { "The server no longer wakes Apple devices." }
    }
}

/// A push credential as people read it.
enum PushCredentialText {
    static func facts(_ credential: PushCredential) -> String {
        var facts = Facts()
        facts.add("kind", credential.kind == .certificate ? "MDM push certificate" : "key for provider tokens")
        facts.add("topic", credential.topic)
        facts.add("until", credential.expires?.shown)
        facts.add("uploaded", "\(credential.uploaded.shown) by \(credential.author)")
        facts.add("devices it wakes", "\(credential.reachable)")
        facts.add("devices whose token was refused", "\(credential.retired)")
        return facts.text
    }
}
