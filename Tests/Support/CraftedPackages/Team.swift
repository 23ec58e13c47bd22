package import CryptographicMessages
package import Foundation
import SwiftASN1
package import X509

/// A certificate with its key, made for a test: of a team, or of an authority that issues those.
package struct Team: Sendable {
    package static let now = Date(timeIntervalSince1970: 1_800_000_000)

    package let certificateDER: Data
    package let key: SigningKey
    private let subject: DistinguishedName

    /// How the certificate of a test differs from that of an honest team.
    package struct Form {
        package var units = ["TEAM123456"]
        package var isAuthority = false
        package var pathLimit: Int?
        package var usage: KeyUsage? = KeyUsage(digitalSignature: true)
        package var purposes: [ExtendedKeyUsage.Usage]? = [.codeSigning]
        package var notBefore = Team.now - 3_600
        package var notAfter = Team.now + 86_400
        package var algorithm = SigningKey.Algorithm.p256
        package var hasUnknownCriticalExtension = false
    }

    package init(_ name: String, issuer: Team? = nil, _ change: (inout Form) -> Void = { _ in }) throws {
        var form = Form()
        change(&form)
        key = try SigningKey.generate(form.algorithm)
        let units = form.units
        subject = try DistinguishedName {
            CommonName(name)
            for unit in units { OrganizationalUnitName(unit) }
        }
        var extensions: [Certificate.Extension] = []
        if form.isAuthority {
            extensions.append(
                try .init(BasicConstraints.isCertificateAuthority(maxPathLength: form.pathLimit), critical: true))
            extensions.append(try .init(KeyUsage(keyCertSign: true), critical: true))
        } else {
            if let usage = form.usage { extensions.append(try .init(usage, critical: true)) }
            if let purposes = form.purposes {
                extensions.append(try .init(try ExtendedKeyUsage(purposes), critical: false))
            }
        }
        if form.hasUnknownCriticalExtension {
            extensions.append(.init(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: true, value: [5, 0]))
        }
        let signer = issuer?.key ?? key
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.certificateKey.publicKey,
            notValidBefore: form.notBefore, notValidAfter: form.notAfter, issuer: issuer?.subject ?? subject,
            subject: subject, signatureAlgorithm: signer.isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA256,
            extensions: Certificate.Extensions(extensions), issuerPrivateKey: signer.certificateKey)
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        certificateDER = Data(serializer.serializedBytes)
    }

    package static func authority(_ name: String, units: [String] = [], issuer: Team? = nil, pathLimit: Int? = nil)
        throws
        -> Team
    {
        try Team(name, issuer: issuer) {
            $0.units = units
            $0.isAuthority = true
            $0.pathLimit = pathLimit
        }
    }
}
