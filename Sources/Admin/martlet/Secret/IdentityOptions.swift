package import AdminMessages
package import ArgumentParser

/// How a device comes by an identity of its own.
package struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The subject of the certificate, such as 'CN=${device.serialNumber},O=Example'; a comma in a name is written \\,.",
            valueName: "name"))
    package var subject: String?

    @Option(help: ArgumentHelp("A host name in the certificate.", valueName: "host"))
    package var dns: String?

    @Option(help: ArgumentHelp("A mail address in the certificate.", valueName: "address"))
    package var email: String?

    @Option(help: ArgumentHelp("A URI in the certificate.", valueName: "URI"))
    package var uri: String?

    @Option(
        help: ArgumentHelp(
            "Another authority than this server's own: its SCEP address or its ACME directory.", valueName: "URL"))
    package var url: String?

    @Option(help: ArgumentHelp("SCEP: what the other authority calls itself.", valueName: "name"))
    package var caName: String?

    @Option(
        help: ArgumentHelp(
            "SCEP: the SHA-256 of the other authority's certificate; must be given where --url is not https.",
            valueName: "hex"))
    package var caFingerprint: String?

    @Flag(help: "SCEP: read the challenge of the other authority from the first line of standard input.")
    package var challengeStdin = false

    @Option(help: ArgumentHelp("ACME: EC (as it is without) or RSA.", valueName: "type"))
    package var keyType: String?

    @Option(help: ArgumentHelp("How many bits the key has.", valueName: "bits"))
    package var keySize: Int?

    @Option(
        help: ArgumentHelp(
            "ACME: how a device names itself to the authority; by its serial number if left out.", valueName: "text"))
    package var clientIdentifier: String?

    @Flag(help: "ACME: the key is made in the device's chip and never leaves it.")
    package var hardwareBound = false

    @Flag(help: "ACME: the device proves to the authority that its chip holds the key; needs --hardware-bound.")
    package var attest = false

    package init() {}

    package func validate(scep: Bool, acme: Bool) throws {
        guard scep || acme else {
            guard let first = common.first ?? onlySCEP.first ?? onlyACME.first else { return }
            throw ValidationError("\(first) belongs to --scep or --acme")
        }
        if scep, let first = onlyACME.first { throw ValidationError("\(first) belongs to --acme") }
        if acme, let first = onlySCEP.first { throw ValidationError("\(first) belongs to --scep") }
        guard let subject else {
            throw ValidationError("say whose the certificate is: --subject 'CN=${device.serialNumber}'")
        }
        guard SubjectText.pairs(in: subject) != nil else {
            throw ValidationError("--subject is made of parts such as CN=… and O=…, with commas between them")
        }
        guard url != nil || onlySCEP.isEmpty else {
            throw ValidationError("\(onlySCEP[0]) is for another authority: give its --url")
        }
        if let caFingerprint, Authority.fingerprint(reading: caFingerprint) == nil {
            throw ValidationError("--ca-fingerprint has 64 hexadecimal digits")
        }
        if let url, scep, url.lowercased().hasPrefix("http://"), caFingerprint == nil {
            throw ValidationError(
                "without TLS only a fingerprint tells the authority: give its --ca-fingerprint, or an https --url")
        }
        if let url, acme, !url.lowercased().hasPrefix("https://") {
            throw ValidationError("ACME is spoken over TLS alone: --url begins with https://")
        }
        if let keyType, !["EC", "RSA"].contains(keyType.uppercased()) {
            throw ValidationError("--key-type is EC or RSA")
        }
        guard !attest || hardwareBound else { throw ValidationError("--attest needs --hardware-bound") }
    }

    package func scepSecret() throws -> SCEPSecret {
        SCEPSecret(
            url: url, name: caName,
            challenge: challengeStdin
                ? try PasswordPrompt.readFromInput("challenge", longest: SecretSize.password) : nil,
            authorityFingerprint: caFingerprint.flatMap(Authority.fingerprint), subject: pairs, subjectAltName: names,
            keySize: keySize)
    }

    package func acmeSecret() throws -> ACMESecret {
        ACMESecret(
            directoryURL: url, clientIdentifier: clientIdentifier, subject: pairs, subjectAltName: names,
            keyType: keyType?.uppercased(), keySize: keySize, hardwareBound: hardwareBound ? true : nil,
            attest: attest ? true : nil)
    }

    private var pairs: [[String]] { subject.flatMap(SubjectText.pairs) ?? [] }

    private var names: SubjectAltName? {
        dns == nil && email == nil && uri == nil ? nil : SubjectAltName(dns: dns, email: email, uri: uri)
    }

    // MARK: Which options were given

    private var common: [String] {
        Self.given([
            ("--subject", subject != nil), ("--dns", dns != nil), ("--email", email != nil), ("--uri", uri != nil),
            ("--url", url != nil), ("--key-size", keySize != nil),
        ])
    }

    private var onlySCEP: [String] {
        Self.given([
            ("--ca-name", caName != nil), ("--ca-fingerprint", caFingerprint != nil),
            ("--challenge-stdin", challengeStdin),
        ])
    }

    private var onlyACME: [String] {
        Self.given([
            ("--key-type", keyType != nil), ("--client-identifier", clientIdentifier != nil),
            ("--hardware-bound", hardwareBound), ("--attest", attest),
        ])
    }

    private static func given(_ options: [(String, Bool)]) -> [String] {
        options.filter(\.1).map(\.0)
    }
}
