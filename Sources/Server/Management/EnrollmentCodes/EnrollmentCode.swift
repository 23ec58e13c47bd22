package import Foundation

/// The owner of a device, by its enrollment code.
package enum Ownership: String, Sendable, Codable {
    case organization
    case personal
}

/// Lets one device enroll into a group.
///
/// The code itself is shown once and kept only as a digest.
package struct EnrollmentCode: Sendable, Equatable {
    package enum State: String, Sendable {
        case unused
        /// A first certificate request came; the same one may be repeated.
        case redeemed
        /// A device was authenticated with its certificate.
        case spent
        case revoked
    }

    package let id: String
    package let group: String
    package let ownership: Ownership
    package let supervised: Bool
    package let allowLegacyCryptography: Bool
    package let author: String
    package let created: Date
    package let expires: Date
    package let state: State
    /// The enrollment whose identity is renewed by it; nothing for one that lets a device in.
    package let renews: String?
    /// Whom it is for; one that an administrator made and handed over is for anyone.
    package let holder: EnrollmentHolder
    /// The enrolled device whose place the new enrollment may take; the code admits no other device.
    package let replaces: String?
    /// Whether its author may give secrets; otherwise it leads into no group that gives one.
    package let reachesSecrets: Bool
    /// Whether the profile that it opens announces channels of the device's users; one from before there were has none.
    package let announcesUserChannels: Bool

    package init(
        id: String, group: String, ownership: Ownership, supervised: Bool, allowLegacyCryptography: Bool,
        author: String, created: Date, expires: Date, state: State, renews: String? = nil,
        holder: EnrollmentHolder = .anyone, replaces: String? = nil, reachesSecrets: Bool = true,
        announcesUserChannels: Bool = true
    ) {
        self.announcesUserChannels = announcesUserChannels
        self.holder = holder
        self.replaces = replaces
        self.reachesSecrets = reachesSecrets
        self.id = id
        self.group = group
        self.ownership = ownership
        self.supervised = supervised
        self.allowLegacyCryptography = allowLegacyCryptography
        self.author = author
        self.created = created
        self.expires = expires
        self.state = state
        self.renews = renews
    }

    /// By what a chip is named that was asked under this code, before anybody knows whose it is.
    package var attestationName: String { "enrollment:\(id)" }

    /// A device renews as soon as it has the profile; one that lost its network on the way has an hour.
    package static let renewalSeconds: TimeInterval = 3_600

    /// The right of an enrollment to another certificate: it lets nobody in and changes nothing else.
    package init(renewing device: String, id: String, created: Date, expires: Date) {
        self.init(
            id: id, group: "", ownership: .organization, supervised: false, allowLegacyCryptography: false,
            author: "martlet-server", created: created, expires: expires, state: .unused, renews: device)
    }
}

/// What an administrator asks a new code to allow.
package struct EnrollmentCodeRequest: Sendable {
    /// Codes are handed over, then used: an hour is enough for most.
    package static let defaultValidity = 3_600
    /// A forgotten code must not stay open forever.
    package static let longestValidity = 30 * 24 * 3_600

    package var group: String
    package var validSeconds: Int
    package var ownership: Ownership
    package var supervised: Bool
    package var allowLegacyCryptography: Bool
    /// The enrolled device whose place the new enrollment may take.
    package var replaces: String?
    /// Whether its author may give secrets.
    package var reachesSecrets: Bool

    package init(
        group: String, validSeconds: Int = defaultValidity, ownership: Ownership = .organization,
        supervised: Bool = false, allowLegacyCryptography: Bool = false, replaces: String? = nil,
        reachesSecrets: Bool = true
    ) {
        self.replaces = replaces
        self.reachesSecrets = reachesSecrets
        self.group = group
        self.validSeconds = validSeconds
        self.ownership = ownership
        self.supervised = supervised
        self.allowLegacyCryptography = allowLegacyCryptography
    }
}

/// A new code: the only moment at which its text is known.
package struct IssuedEnrollmentCode: Sendable {
    package let text: String
    package let code: EnrollmentCode
}

/// Why a code does not let a device in.
package enum CodeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case used
    case wrongKey
    case revoked

    package var reason: String {
        switch self {
        case .unknown: "The enrollment code is not known."
        case .expired: "The enrollment code has expired."
        case .used: "The enrollment code was already used."
        case .wrongKey: "The enrollment code belongs to another key."
        case .revoked: "The enrollment code was revoked."
        }
    }
}

/// A code that lets this certificate request through.
package struct RedeemedCode: Sendable, Equatable {
    package let code: EnrollmentCode
    /// The certificate that was already issued to this very request: its answer was lost.
    package let issued: IssuedCertificate?

    package init(code: EnrollmentCode, issued: IssuedCertificate?) {
        self.code = code
        self.issued = issued
    }
}

/// A device certificate, written down before it leaves.
package struct IssuedCertificate: Sendable, Equatable {
    /// Lowercase hexadecimal.
    package let serial: String
    /// SHA-256 of the certificate.
    package let fingerprint: Data
    package let certificateDER: Data
    package let codeID: String
    package let publicKeyDigest: Data
    package let issued: Date
    package let notAfter: Date

    package init(
        serial: String, fingerprint: Data, certificateDER: Data, codeID: String, publicKeyDigest: Data, issued: Date,
        notAfter: Date
    ) {
        self.serial = serial
        self.fingerprint = fingerprint
        self.certificateDER = certificateDER
        self.codeID = codeID
        self.publicKeyDigest = publicKeyDigest
        self.issued = issued
        self.notAfter = notAfter
    }
}
