import ArgumentParser

/// Where a command finds the server's data: what each of them asks for.
struct PlaceOptions: ParsableArguments {
    @Option(help: "A JSON file with settings (/etc/martlet/server.json, which may be missing).")
    var config: String?

    @Option(help: "The directory of the database, the authorities and the certificate (/var/lib/martlet-server).")
    var dataDirectory: String?
}

/// The settings of a server that runs; other commands take them as well, since scripts may give all the same, and hide them.
///
/// They are one group: where the parser checks its declarations at each start, it does so four times as often for each
/// level of groups.
struct SettingOptions: ParsableArguments {
    @Option(help: "The address to listen on (127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on (8443); 0 takes a free one.")
    var port: Int?

    @Option(
        name: .customLong("hostname"), parsing: .singleValue,
        help: "A DNS name or address for the certificate, more than once if need be (localhost, 127.0.0.1).")
    var hostnames: [String] = []

    @Option(help: "The URL at which devices reach the server (https://<first hostname>:<port>).")
    var url: String?

    @Option(help: "The name of the organization, as devices show it: 1 to 128 bytes (Martlet).")
    var organization: String?

    @Option(help: "A PEM file with the roots of TPM makers: a TPM that one of them certifies may attest keys (none).")
    var endorsementRoots: String?

    @Flag(help: "Let the first TPM that a device shows attest its keys, also if no maker's root certifies it.")
    var pinEndorsementKeys = false

    @Option(help: "A PEM file with the root certificates by which Apple's attestations are checked (none).")
    var appleAttestationRoots: String?

    @Option(
        help:
            "How devices get their identity: scep, acme, or acme-attested, which demands keys that a chip holds (scep)."
    )
    var enrollmentIdentity: String?

    @Option(
        help: "How long a device's identity is valid: a number with s, m, h or d (90d); renewed at two thirds of it.",
        transform: LifetimeText.option)
    var enrollmentLifetime: LifetimeText?

    @Option(
        help: "How long an app's identity from this server is valid: a number with s, m, h or d (30d).",
        transform: LifetimeText.option)
    var identityLifetime: LifetimeText?

    @Option(
        help: "How long after its end a device's identity may still be renewed: a number with s, m, h or d (90d).",
        transform: LifetimeText.option)
    var expiredGrace: LifetimeText?

    @Option(
        help: "How long a person who enrolled by account stays signed in: a number with s, m, h or d (no end).",
        transform: LifetimeText.option)
    var signInLifetime: LifetimeText?

    @Option(help: "How many days the audit log is kept: 30 to 36500, or 0 without an end (1095).")
    var auditDays: Int?

    @Option(
        help:
            "How many status reports the server takes from one device in a minute, beside 60 at once: 0 to 60000, 0 for no bound (60)."
    )
    var statusReportsPerMinute: Int?

    // The operator's own certificate for the server.
    @Option(
        help: ArgumentHelp(
            "A PEM file with the server's certificate, then its chain; without it the server issues one to itself.",
            valueName: "file"))
    var certificateFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the key of that certificate, which other users must not read; without it the certificate's own file.",
            valueName: "file"))
    var keyFile: String?

    // The organization's sign-in.
    @Option(help: "The OpenID Connect issuer at which administrators may sign in: an https URL (none).")
    var oidcIssuer: String?

    @Option(help: "The client identifier that the issuer gave this server; needed with --oidc-issuer.")
    var oidcClient: String?

    @Option(help: "A file with the client's secret, if the issuer gave one.")
    var oidcSecretFile: String?

    @Option(help: "A JSON file that says which claims give which role; needed with --oidc-issuer.")
    var oidcRoles: String?

    @Option(help: "A PEM file with the authorities of the issuer's TLS certificate, used instead of the system's.")
    var oidcAuthority: String?

    @Option(help: "The scopes to ask for, separated by spaces (openid email profile).")
    var oidcScopes: String?

    // What webhooks may reach: administrators name them, and must not reach through the server what they could not
    // reach themselves.
    @Option(
        name: .customLong("webhook-network"), parsing: .singleValue,
        help: ArgumentHelp(
            "A network that is not public and that webhooks may reach, such as 10.1.0.0/16; more than once if need be.",
            valueName: "network"))
    var webhookNetworks: [String] = []

    @Flag(help: "Let webhooks send over http to these networks; if this machine is in one, they may without this.")
    var webhookPlainHTTP = false

    @Option(help: "A PEM file with authorities that are trusted for webhooks beside the system's.")
    var webhookAuthority: String?

    // Where pushes to Apple devices go, if not to Apple.
    @Option(
        help: ArgumentHelp(
            "The push service for Apple devices (https://api.push.apple.com).", valueName: "url"))
    var pushService: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with authorities of that push service, used instead of the system's.", valueName: "file"))
    var pushAuthority: String?

    @Option(help: "The address:port where Prometheus reads measurements over http, such as 127.0.0.1:9464 (none).")
    var metrics: String?

    @Option(help: "The least level that is logged: trace, debug, info, notice, warning or error (info).")
    var logLevel: String?

    @Option(help: "The form of the log: text, or json with one object for each line (text).")
    var logFormat: String?
}
