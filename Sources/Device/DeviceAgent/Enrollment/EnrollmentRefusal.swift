/// Why a device cannot enrol; says what to do about it, never the code.
package enum EnrollmentRefusal: Error, Equatable, CustomStringConvertible {
    case noCertificate
    case badFingerprint
    case otherFingerprint
    case noHandshake
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
    case serverRefused(Int)

    /// Whether the same right leads nowhere however often it is tried.
    var isFinal: Bool {
        switch self {
        case .certificateRefused, .authorityStatus(400..<500): true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .noCertificate: "the CA file holds no certificate in PEM"
        case .badFingerprint: "a fingerprint is a SHA-256 in 64 hexadecimal digits"
        case .otherFingerprint: "the server presents no certificate with this fingerprint"
        case .noHandshake: "the server offers no TLS"
        case .badURL: "the server's URL must begin with https:// and name a host"
        case .alreadyEnrolled: "this device is enrolled already; leave first with martlet-agent unenroll"
        case .codeRefused(404):
            "the server does not know this code: it is mistyped, used, expired or revoked; an administrator makes a new one "
                + "with martlet enrollment-code create"
        case .codeRefused(let status): "the server gives no profile for this code (status \(status))"
        case .badAccount: "an account looks like anna@example.org"
        case .noDiscovery(let status): "the account's domain does not say where its devices enrol (status \(status))"
        case .discoveryUnusable: "what the account's domain says of where its devices enrol cannot be used"
        case .accountRefused(let status): "the server enrols nobody by this account (status \(status))"
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
            "the identity expired before the enrollment was complete: leave with martlet-agent unenroll, and enrol with a "
                + "new code"
        case .serverRefused(let status): "the server refused the enrollment (status \(status))"
        }
    }
}
