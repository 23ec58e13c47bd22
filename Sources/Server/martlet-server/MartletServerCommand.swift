import ArgumentParser
import DeviceMessages
import WipedMemory

/// `martlet-server`: the server of one installation.
@main
struct MartletServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-server",
        abstract: "Configures managed apps on devices, over Apple's device management protocols.",
        discussion: """
            Settings come from options, from the environment (MARTLET_DATA_DIRECTORY, MARTLET_HOST, MARTLET_PORT, \
            MARTLET_HOSTNAMES, MARTLET_URL, MARTLET_ORGANIZATION, MARTLET_LOG_LEVEL, …) and from a JSON file \
            (--config, MARTLET_CONFIG or /etc/martlet/server.json; members named like the options: dataDirectory, host, \
            …), in this order; a member that no option is called like is refused by name. A socket named https that systemd hands over takes the place of host and port.
            `martlet-server --version` prints the version.
            """,
        subcommands: [
            Run.self, Backup.self, Restore.self, Check.self, ResetAdminPassword.self, Rekey.self, ForgetSecrets.self,
        ],
        defaultSubcommand: Run.self)

    static func main() async {
        forbid_core_dumps()
        prefer_little_memory()
        if let answer = MartletRelease.answer(of: "martlet-server", to: CommandLine.arguments) { return print(answer) }
        await main(nil)
    }
}

/// The options every command takes.
struct SettingOptions: ParsableArguments {
    @Option(help: "A JSON file with settings.")
    var config: String?

    @Option(help: "Where the database, the authority and the certificate are kept (/var/lib/martlet-server).")
    var dataDirectory: String?

    @Option(help: "The address to listen on (127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on (8443); 0 takes a free one.")
    var port: Int?

    @Option(
        name: .customLong("hostname"), parsing: .singleValue,
        help: "A DNS name or address for the certificate, more than once if need be (localhost, 127.0.0.1).")
    var hostnames: [String] = []

    @Option(help: "Where devices reach the server, if not at https://<first hostname>:<port>.")
    var url: String?

    @Option(help: "The name of the organization, as devices show it.")
    var organization: String?

    @Option(help: "A PEM file with the roots of chips' makers: a TPM under one of them may attest keys.")
    var endorsementRoots: String?

    @Flag(help: "Let the first TPM that a device shows attest its keys, though no maker vouches for it.")
    var pinEndorsementKeys = false

    @Option(help: "A PEM file with the roots under which Apple's attestations are believed.")
    var appleAttestationRoots: String?

    @Option(
        help:
            "How devices have their identity: scep, acme, or acme-attested, which demands keys that a chip holds (scep)."
    )
    var enrollmentIdentity: String?

    @Option(help: "How long a device's identity lives: a number with s, m, h or d (90d); renewed at two thirds of it.")
    var enrollmentLifetime: LifetimeText?

    @Option(help: "How long an app's identity lives that this server issues (30d).")
    var identityLifetime: LifetimeText?

    @Option(help: "For how long after its end a device's identity may still fetch its renewal (90d).")
    var expiredGrace: LifetimeText?

    @Option(help: "For how long a person who enrolled by account stays signed in; for ever without it.")
    var signInLifetime: LifetimeText?

    @Option(help: "How many days the audit log is kept (1095); 0 keeps it for ever.")
    var auditDays: Int?

    @Option(
        help:
            "How many status reports the server takes from one device in a minute, beside 60 at once (60); 0 for no bound."
    )
    var statusReportsPerMinute: Int?

    @OptionGroup var certificate: CertificateOptions

    @OptionGroup var signIn: SignInOptions

    @OptionGroup var webhooks: WebhookOptions

    @OptionGroup var push: PushOptions

    @Option(help: "Where Prometheus reads measurements over plain HTTP, as address:port; nowhere without it.")
    var metrics: String?

    @Option(help: "trace, debug, info, notice, warning or error (info).")
    var logLevel: String?

    @Option(help: "text, or json: one object for each line of the log (text).")
    var logFormat: String?
}
