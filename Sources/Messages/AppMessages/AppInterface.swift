/// What the agent says of itself to those who ask.
package struct AppInterface: Codable, Equatable, Sendable {
    /// The vendor.
    package let vendor: String

    /// The product.
    package let product: String

    /// Its version.
    package let version: String

    /// Where to read more; empty.
    package let url: String

    /// The interfaces it offers on this socket.
    package let interfaces: [String]

    /// The agent, in some version.
    package init(version: String) {
        vendor = "Martlet"
        product = "martlet-agent"
        self.version = version
        url = ""
        interfaces = Self.names
    }

    /// The interfaces of the apps' socket.
    static let names = ["org.varlink.service", "dev.martlet.App", "dev.martlet.Defaults"]

    /// The text of an interface, in Varlink's own language.
    package struct Description: Codable, Equatable, Sendable {
        /// The text.
        package let description: String

        /// The text of the interface of this name.
        package init(of interface: String) throws(VarlinkError) {
            switch interface {
            case "dev.martlet.App": description = AppInterface.app
            case "dev.martlet.Defaults": description = AppInterface.defaults
            case "org.varlink.service": description = AppInterface.service
            default: throw .interfaceNotFound(interface)
            }
        }
    }

    private static let app = """
        # What an app may ask the agent that launched it.
        interface dev.martlet.App

        type Kind (password, certificate, identity)
        type KeyType (RSA, EC)

        # The app's state now and whenever it changes; a property list in base64. Secrets are withheld where the agent is
        # not as sure of the app as the administrator asks; all is kept from a restricted extension that lacks full access.
        # Who asks for trials is now and then sent one: it decodes that, uses nothing of it, and says so by ReportTrial.
        method WatchConfiguration(trials: ?bool) -> (
            managed: bool, synchronised: bool, stale: bool, version: string, configuration: ?string, generation: int,
            secretsWithheld: ?bool, needsFullAccess: ?bool,
            trial: ?(identifier: string, configuration: string, seconds: int)
        )

        # What the app's decoder said about one version. The answer comes once it is on the disk, about a second after the
        # app's last report at the latest; InternalError says that it could not be written and is to be sent again.
        method ReportConfiguration(
            version: string, valid: bool, code: ?int, message: ?string, keyPath: ?string, keyPathSupplied: ?bool
        ) -> ()

        # What the app's decoder said about a trial; "notIterating" when nothing in the process decodes configurations.
        method ReportTrial(
            trial: string, verdict: (accepted, refused, notIterating), code: ?int, message: ?string,
            keyPath: ?string, keyPathSupplied: ?bool, type: ?string
        ) -> ()

        # The identifiers of one kind of secret, again whenever they or a value change.
        method WatchSecrets(kind: Kind) -> (identifiers: []string)

        method GetPassword(identifier: string) -> (password: string)

        # DER in base64.
        method GetCertificate(identifier: string) -> (certificate: string)

        # Certificates in DER, base64, the identity's own first. The key stays with the agent; the reference names it,
        # and after a renewal another does.
        method GetIdentity(identifier: string) -> (
            certificates: []string, keyType: KeyType, keySize: int, reference: string, hardwareBound: bool,
            attested: bool
        )

        # Algorithms are rsa-pkcs1, rsa-pss or ecdsa, each with -sha256, -sha384 or -sha512, and with what is given:
        # -message (at most 64 KiB) or -digest. Data and signature in base64; an ECDSA signature in the DER of X9.62.
        method Sign(identifier: string, reference: string, algorithm: string, data: string) -> (signature: string)

        # Sends back the challenge of IdentificationNeeded.
        method Identify(challenge: string) -> ()

        # The agent does not know yet that this process is the one that connected: it did not launch it, or the kernel does
        # not say who connects and the process asks for a secret. After Identify the same call is answered.
        error IdentificationNeeded (challenge: string)
        # No such secret is provisioned for this app now, or the reference names a key that was replaced.
        error InvalidIdentifier ()
        # The secret is there, but the agent is not as sure of the app as the administrator asks.
        error SecretsWithheld ()
        error ServerError ()
        error InternalError ()

        """

    private static let service = """
        interface org.varlink.service

        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound (interface: string)
        error MethodNotFound (method: string)
        error MethodNotImplemented (method: string)
        error InvalidParameter (parameter: string)
        error PermissionDenied ()
        error ExpectedMore ()

        """
}

/// The identifiers of one kind of secret.
package struct SecretIdentifiers: Codable, Equatable, Sendable {
    /// The identifiers, in the order of the administrator.
    package let identifiers: [String]

    /// Lists identifiers.
    package init(_ identifiers: [String]) {
        self.identifiers = identifiers
    }
}
