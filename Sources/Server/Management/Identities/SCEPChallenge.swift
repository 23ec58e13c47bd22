package import CertificateAuthority
package import Foundation

/// The right to one certificate by SCEP, which the server handed out to one device for one version of a secret.
///
/// The challenge's text is in the credential document alone; here stands its digest.
package struct SCEPChallenge: Sendable, Equatable {
    /// A device asks as soon as it has the document; one that lost its network on the way has an hour.
    package static let lifetime: TimeInterval = 3_600
    /// Unused ones of a device for a secret: several apps may find it, each with a document of its own.
    package static let unused = 16

    /// The request that used it.
    package struct Use: Sendable, Equatable {
        package let transactionID: String
        /// SHA-256 of SubjectPublicKeyInfo.
        package let publicKeyDigest: Data
        /// The serial number of the certificate it got.
        package let certificate: String

        package init(transactionID: String, publicKeyDigest: Data, certificate: String) {
            self.transactionID = transactionID
            self.publicKeyDigest = publicKeyDigest
            self.certificate = certificate
        }
    }

    /// SHA-256 of the challenge.
    package let digest: Data
    package let holder: IdentityHolder
    /// What the certificate says; nothing of it is the device's to choose.
    package let profile: IdentityProfile
    package let created: Date
    package let expires: Date
    package let use: Use?

    package init(
        digest: Data, holder: IdentityHolder, profile: IdentityProfile, created: Date, expires: Date? = nil,
        use: Use? = nil
    ) {
        self.digest = digest
        self.holder = holder
        self.profile = profile
        self.created = created
        self.expires = expires ?? created + Self.lifetime
        self.use = use
    }

    /// Nothing when a request may have a certificate by it, or may have again the one it got.
    package func refusal(ofKey digest: Data, now: Date) -> ChallengeRefusal? {
        guard now < expires else { return .expired }
        guard let use else { return nil }
        // The answer was lost: another request for the same key is no second use, whatever its transaction is.
        return use.publicKeyDigest == digest ? nil : .used
    }
}

/// Why a challenge gets no certificate; the text is for the log.
package enum ChallengeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case used
    case withdrawn

    package var reason: String {
        switch self {
        case .unknown: "the challenge is not one that was handed out"
        case .expired: "the challenge has expired"
        case .used: "the challenge was used by another request"
        case .withdrawn: "the secret is not assigned to the device in this version any more"
        }
    }
}
