package import Foundation

/// Whose packages are taken: certificates of teams, or of authorities that issue those.
///
/// An authority whose subject names a team vouches for that team alone. One that names none vouches for every team, and
/// is to be trusted as much.
package struct TeamTrust: Sendable {
    private let anchors: [Data]

    /// From the signer to what is trusted, both counted.
    private static let longest = 5

    /// Takes certificates in DER; one that cannot be read is refused at once, not when it is needed.
    package init(_ certificates: [Data]) throws(PackageRefusal) {
        for certificate in certificates { _ = try SigningCertificate(certificate) }
        anchors = certificates
    }

    /// Judges the certificate that signed, by those sent along.
    package func judge(_ leaf: Data, with others: [Data], now: Date) throws(PackageRefusal) -> Signer {
        let signer = try Signer(certificateDER: leaf)
        var current = try SigningCertificate(leaf)
        try current.checkValidity(now)
        if anchors.contains(leaf) { return signer }

        var anchors: [SigningCertificate] = []
        for der in self.anchors { anchors.append(try SigningCertificate(der)) }
        var between: [SigningCertificate] = []
        for der in others { between.append(try SigningCertificate(der)) }
        for below in 0..<(Self.longest - 1) {
            if let anchor = anchors.first(where: { current.isIssued(by: $0) }) {
                try check(anchor, below, signer, now)
                return signer
            }
            guard let issuer = between.first(where: { current.isIssued(by: $0) }) else { break }
            try check(issuer, below, signer, now)
            current = issuer
        }
        throw PackageRefusal(.untrusted)
    }

    private func check(
        _ authority: SigningCertificate, _ below: Int, _ signer: Signer, _ now: Date
    ) throws(PackageRefusal) {
        try authority.checkAuthority(below: below)
        try authority.checkValidity(now)
        // A unit that is no team identifier is a department's name.
        guard authority.team == nil || authority.team == signer.team else { throw PackageRefusal(.otherTeam) }
    }
}
