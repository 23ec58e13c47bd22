/// Why a device cannot enroll; says what to do about it, never the code.
package enum EnrollmentRefusal: Error, Equatable, CustomStringConvertible {
    case noCertificate
    case badFingerprint
    case otherFingerprint
    case badURL
    case alreadyEnrolled
    case codeRefused(Int)
    case profileUnusable
    case unsupportedKey
    case chipDemanded
    case hardwareDemanded
    case chipMissing
    case chipNotCertified
    case authorityFingerprintDiffers
    case certificateRefused(String)
    case authorityStatus(Int)
    case certificatePending
    case badAccount
    case noDiscovery(Int)
    case discoveryUnusable
    case accountRefused(Int)
    case signInDemanded
    case signInUnsupported
    case signInRefused
    case signInThrottled
    case otherServer
    case noSerialNumber
    case notExpected(Int)
    case otherKind
    case chipWouldNameDevice
    case removalDisallowed
    case serverBusy
    case identityExpired
    /// Under the identifier of this device another machine is enrolled.
    case identifierTaken(String)
    case secretsOutOfReach
    case serverRefused(Int)
    case profileRefused(String)
    case payloadsUnsupported([String])
    case profileOfAccount
    case revocationCheckDemanded
    case attestationElsewhere
    case authorityIsLegacy
    case noIdentity

    /// Whether the same right leads nowhere however often it is tried.
    var isFinal: Bool {
        switch self {
        case .certificateRefused, .authorityStatus(400..<500), .authorityIsLegacy: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .noCertificate: "the CA file holds no certificate in PEM"
        case .badFingerprint: "a fingerprint is a SHA-256 in 64 hexadecimal digits"
        case .otherFingerprint: "the server presents no certificate with this fingerprint"
        case .badURL: "the server's URL must begin with https:// and name a host"
        case .alreadyEnrolled: "this device is enrolled already; leave first with martlet-agent unenroll"
        case .codeRefused(404):
            "the server does not know this code: it is mistyped, used, expired or revoked; an administrator makes a new one "
                + "with martlet enrollment-code create"
        case .codeRefused(let status): "the server gives no profile for this code (status \(status))"
        case .badAccount: "an account looks like anna@example.org"
        case .noDiscovery(let status): "the account's domain does not say where its devices enroll (status \(status))"
        case .discoveryUnusable: "what the account's domain says of where its devices enroll cannot be used"
        case .accountRefused(let status): "the server does not enroll devices by this account (status \(status))"
        case .signInDemanded: "the person has to sign in"
        case .signInUnsupported: "the server wants the person to sign in in a way that is not supported"
        case .signInRefused:
            "the sign-in was refused: the account or the password is wrong, or the invitation was used or has ended"
        case .otherServer: "the account leads to another server now than the one that manages this device"
        case .signInThrottled: "there were too many attempts to sign in; try again later"
        case .noSerialNumber: "this device has no serial number that the agent may read; give it with --serial-number"
        case .notExpected(let status):
            "the server does not expect this device (status \(status)); an administrator says so with martlet device expect"
        case .otherKind: "the server's profile is for another kind of enrollment than was asked for"
        case .chipWouldNameDevice:
            "the server demands that a chip vouches for the key, which would tell it which device a person's own is"
        case .removalDisallowed: "this device is the organization's: an administrator ends its enrollment"
        case .profileUnusable: "the enrollment profile cannot be used"
        case .unsupportedKey: "the profile asks for a kind of key that is not supported"
        case .chipDemanded:
            "the server demands that a chip vouches for the key of the identity, and this device has no TPM, or none that "
                + "the agent was given with --tpm"
        case .hardwareDemanded:
            "the server demands that the key of the identity is in hardware, and this device has no TPM, or none that the "
                + "agent was given with --tpm"
        case .chipNotCertified:
            "the server does not believe this device's TPM: its log says by which rule"
        case .chipMissing: "the key of the identity is in this device's TPM, and the agent was started without one"
        case .authorityFingerprintDiffers: "the certificate authority is not the one the profile names"
        case .certificateRefused(let why): "the certificate authority refused to issue a certificate: \(why)"
        case .authorityStatus(let status):
            "the certificate authority refused to issue a certificate: status \(status)"
        case .certificatePending: "the certificate authority has not decided yet; run the same command again later"
        case .serverBusy: "the server is busy; run the same command again in a minute"
        case .identityExpired:
            "the identity expired before the enrollment was complete: leave with martlet-agent unenroll, and enroll with "
                + "a new code that replaces this device"
        case .identifierTaken(let identifier):
            "the server manages a machine with this identifier already: \(identifier). If this machine is a clone, both have the "
                + "same /etc/machine-id: give this one its own (rm /etc/machine-id && systemd-machine-id-setup), restart "
                + "martlet-agent, and run the same command again. If this is the same machine, set up again, ask an "
                + "administrator to withdraw the device (martlet device withdraw \(identifier)) and run the same command "
                + "again, or to make a code that replaces it (martlet enrollment-code create --replaces \(identifier))"
        case .secretsOutOfReach:
            "the server gives secrets to this device's group, so only an administrator lets devices in: ask one for a code"
        case .serverRefused(let status): "the server refused the enrollment (status \(status))"
        case .profileRefused(let rule): "the profile cannot be used: \(rule)"
        case .payloadsUnsupported(let types):
            "the profile demands what this device cannot do: \(types.joined(separator: ", ")); nothing of it was installed"
        case .profileOfAccount:
            "the profile is for a person's account: enroll with martlet-agent enroll --account instead"
        case .revocationCheckDemanded:
            "the profile demands that the revocation of the server's certificate is checked, which this device cannot do"
        case .attestationElsewhere:
            "the profile demands that a chip vouches for the key, which this device can do only for a Martlet server"
        case .authorityIsLegacy:
            "the certificate authority answers with SHA-1, DES or Triple DES; if that must be, add "
                + "--allow-legacy-cryptography"
        case .noIdentity: "the profile's PKCS #12 file holds no certificate for its key"
        }
    }
}
