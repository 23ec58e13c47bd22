import AppPackages
import CryptographicMessages
import Foundation
import SwiftASN1
import X509

/// A certificate with its key, made for a test: of a team, or of an authority that issues those.
struct Team: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let certificateDER: Data
    let key: SigningKey
    private let subject: DistinguishedName

    /// How the certificate of a test differs from that of an honest team.
    struct Form {
        var units = ["TEAM123456"]
        var isAuthority = false
        var pathLimit: Int?
        var usage: KeyUsage? = KeyUsage(digitalSignature: true)
        var purposes: [ExtendedKeyUsage.Usage]? = [.codeSigning]
        var notBefore = Team.now - 3_600
        var notAfter = Team.now + 86_400
        var algorithm = SigningKey.Algorithm.p256
        var hasUnknownCriticalExtension = false
    }

    init(_ name: String, issuer: Team? = nil, _ change: (inout Form) -> Void = { _ in }) throws {
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

    static func authority(_ name: String, units: [String] = [], issuer: Team? = nil, pathLimit: Int? = nil) throws
        -> Team
    {
        try Team(name, issuer: issuer) {
            $0.units = units
            $0.isAuthority = true
            $0.pathLimit = pathLimit
        }
    }
}
