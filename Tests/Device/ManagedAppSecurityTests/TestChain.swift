import Crypto
import Foundation
import ManagedApp
import SwiftASN1
import X509

/// A certificate of a test's own, with the key that signs others.
struct TestCertificate {
    let key = P256.Signing.PrivateKey()
    let certificate: Certificate

    /// When the tests take place.
    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// Makes a certificate; without an issuer it signs itself.
    init(
        _ name: String?, by issuer: TestCertificate? = nil, authority: Bool? = true, pathLength: Int? = nil,
        mayIssue: Bool? = nil, hosts: [GeneralName] = [], usages: [ExtendedKeyUsage.Usage] = [],
        from start: TimeInterval = -3_600, until end: TimeInterval = 3_600, version: Certificate.Version = .v3,
        critical: ASN1ObjectIdentifier? = nil, key signs: P256.Signing.PrivateKey? = nil
    ) throws {
        let subject = try DistinguishedName { if let name { CommonName(name) } }
        certificate = try Certificate(
            version: version, serialNumber: Certificate.SerialNumber(), publicKey: .init((signs ?? key).publicKey),
            notValidBefore: Self.now + start, notValidAfter: Self.now + end,
            issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: version == .v1
                ? Certificate.Extensions()
                : try Certificate.Extensions {
                    if let authority {
                        Critical(
                            authority
                                ? BasicConstraints.isCertificateAuthority(maxPathLength: pathLength)
                                : BasicConstraints.notCertificateAuthority)
                    }
                    if let mayIssue { Critical(KeyUsage(digitalSignature: true, keyCertSign: mayIssue)) }
                    if !usages.isEmpty { try ExtendedKeyUsage(usages) }
                    if !hosts.isEmpty { SubjectAlternativeNames(hosts) }
                    if let critical {
                        try Certificate.Extensions([
                            Certificate.Extension(oid: critical, critical: true, value: [0x05, 0x00][...])
                        ])
                    }
                },
            issuerPrivateKey: .init(issuer?.key ?? key))
    }

    /// As an app has it.
    func sec() throws -> SecCertificate {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        guard let made = SecCertificateCreateWithData(nil, Data(serializer.serializedBytes)) else {
            throw CocoaError(.coderInvalidValue)
        }
        return made
    }
}
