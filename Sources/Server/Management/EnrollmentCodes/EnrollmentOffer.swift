import Crypto
package import DeviceMessages
package import Foundation

extension Management {
    /// How devices have their identity; nothing where nobody enrolls.
    package var enrollmentMeans: EnrollmentOffer.Means? { settings.enrollmentOffer?.means }
}

/// What an enrollment with this server is, as its profile tells a device: whom to trust, how to get an identity, where to
/// go.
package struct EnrollmentOffer: Sendable {
    /// The authority of devices, in DER.
    package let authority: Data
    /// Without a slash at the end.
    package let baseURL: String
    package let organization: String
    package let means: Means

    /// How devices have the identity of their enrollment.
    package enum Means: String, Sendable, CaseIterable {
        case scep
        case acme
        /// By ACME, for keys of which a chip proves that it holds them.
        case attestedACME = "acme-attested"
    }

    /// Where the devices' authority answers by ACME.
    package static let acmePath = "/acme/devices"

    package init(authority: Data, baseURL: String, organization: String, means: Means = .scep) {
        self.means = means
        self.authority = authority
        self.baseURL = baseURL
        self.organization = organization
    }

    /// The profile for who has this right to one certificate: an enrollment code, or a right to renew.
    ///
    /// `topic` is that of the push credential; without one the profile has a topic of this installation's own.
    package func profile(right: String, topic: String? = nil) -> EnrollmentProfile {
        let installation = installation
        return EnrollmentProfile(
            identifier: "dev.martlet.enrollment.\(installation.uuidString.lowercased())", uuid: installation,
            displayName: "\(organization): device management", organization: organization, roots: [authority],
            identity: identity(right: right),
            mdm: MDMPayload(
                serverURL: "\(baseURL)/mdm/command", checkInURL: "\(baseURL)/mdm/checkin",
                topic: topic ?? "com.apple.mgmt.External.\(installation.uuidString.lowercased())",
                serverCapabilities: [ServerCapability.userChannels, ServerCapability.bootstrapToken]),
            wakeURL: "\(baseURL)/mdm/wake")
    }

    private func identity(right: String) -> IdentityPayload {
        let subject = [[["O", organization]], [["CN", "device"]]]
        switch means {
        case .scep:
            return .scep(
                SCEPPayload(
                    url: "\(baseURL)/scep", name: "martlet", subject: subject, challenge: right,
                    caFingerprint: fingerprint))
        case .acme, .attestedACME:
            let isAttested = means == .attestedACME
            return .acme(
                ACMEDocument(
                    directoryURL: baseURL + Self.acmePath + "/directory", clientIdentifier: right,
                    hardwareBound: isAttested, subject: subject, usageFlags: 1, attest: isAttested))
        }
    }

    private var fingerprint: Data { Data(SHA256.hash(data: authority)) }

    /// Names this installation by its authority, so that the topic survives restarts and never has to be stored.
    private var installation: UUID {
        var bytes = Array(SHA256.hash(data: Data("martlet installation".utf8) + fingerprint).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
