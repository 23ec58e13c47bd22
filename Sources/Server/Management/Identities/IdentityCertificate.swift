package import Foundation

/// A certificate of an app's identity as it was issued, before it is written down.
package struct IssuedIdentity: Sendable, Equatable {
    /// Lowercase hexadecimal.
    package let serial: String
    /// SHA-256 of the certificate.
    package let fingerprint: Data
    package let der: Data
    package let issued: Date
    package let notAfter: Date

    package init(serial: String, fingerprint: Data, der: Data, issued: Date, notAfter: Date) {
        self.serial = serial
        self.fingerprint = fingerprint
        self.der = der
        self.issued = issued
        self.notAfter = notAfter
    }
}

/// The holder of an identity: a device, for a version of a secret.
package struct IdentityHolder: Sendable, Equatable {
    package let secret: String
    package let version: Int
    /// The enrollment.
    package let device: String

    package init(secret: String, version: Int, device: String) {
        self.secret = secret
        self.version = version
        self.device = device
    }
}

/// The certificate of an app's identity, written down before it leaves.
package struct IdentityCertificate: Sendable, Equatable {
    package let issued: IssuedIdentity
    package let holder: IdentityHolder
    /// Which apps found the secret under which identifiers when it was issued: `app/identifier`, with an extension's name
    /// between where there is one.
    package let places: [String]
    /// The account that ordered it by ACME.
    package let account: String?
    package let revoked: Date?
    /// The number of RFC 5280 §5.3.1.
    package let reason: Int

    package var serial: String { issued.serial }

    package init(
        issued: IssuedIdentity, holder: IdentityHolder, places: [String], account: String?, revoked: Date? = nil,
        reason: Int = 0
    ) {
        self.issued = issued
        self.holder = holder
        self.places = places
        self.account = account
        self.revoked = revoked
        self.reason = reason
    }
}

/// What a list of revoked certificates says of one of them.
package struct RevokedIdentity: Sendable, Equatable {
    /// Lowercase hexadecimal.
    package let serial: String
    package let revoked: Date
    /// The number of RFC 5280 §5.3.1.
    package let reason: Int

    package init(serial: String, revoked: Date, reason: Int) {
        self.serial = serial
        self.revoked = revoked
        self.reason = reason
    }
}
