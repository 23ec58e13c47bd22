import Crypto
package import Foundation
import X509

/// A certificate that packages are trusted by: a team's own, or an authority's that certifies teams.
package struct TrustedCertificate: Hashable, Sendable {
    package let der: Data
    /// The SHA-256 of the certificate.
    package let fingerprint: [UInt8]
    package let commonName: String?
    /// The team that it is of or vouches for; nothing of an authority that vouches for every team.
    package let team: String?
    package let isAuthority: Bool
    package let notBefore: Date
    package let notAfter: Date

    /// Refuses what could never vouch for a package.
    package init(_ der: Data) throws(PackageRefusal) {
        let certificate = try SigningCertificate(der)
        if (try? certificate.checkAuthority(below: 0)) != nil {
            isAuthority = true
            team = certificate.team
        } else {
            isAuthority = false
            team = try Signer(certificateDER: der).team
        }
        self.der = der
        fingerprint = Array(SHA256.hash(data: der))
        commonName = certificate.commonName
        notBefore = certificate.value.notValidBefore
        notAfter = certificate.value.notValidAfter
    }
}
