import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
package import X509

/// A certificate authority of a test's own.
package struct TestAuthority: Sendable {
    private let key = P256.Signing.PrivateKey()

    /// Its own certificate.
    package let certificate: Certificate

    /// Makes an authority of this name.
    package init(_ name: String) throws {
        try self.init(DistinguishedName { CommonName(name) }, by: nil)
    }

    private init(_ subject: DistinguishedName, by issuer: TestAuthority?) throws {
        let publicKey = Certificate.PublicKey(key.publicKey)
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3_600), notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: .init(issuer?.key ?? key))
    }

    /// Another authority, certified by this one, that bears the name of a third.
    package func certify(authorityNamedLike other: TestAuthority) throws -> TestAuthority {
        try TestAuthority(other.certificate.subject, by: self)
    }

    /// Its own certificate in DER.
    package func der() throws -> Data { try certificate.der() }

    /// Certifies a key: a server's with host names, a client's without.
    package func issue(
        _ name: String, for key: Certificate.PublicKey, hosts: [String] = [],
        until end: Date = Date(timeIntervalSinceNow: 3_600)
    ) throws -> Certificate {
        // Among authorities of one name this tells which.
        let issuer = SubjectKeyIdentifier(hash: .init(self.key.publicKey)).keyIdentifier
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: Date(timeIntervalSinceNow: -7_200), notValidAfter: end, issuer: certificate.subject,
            subject: try DistinguishedName {
                OrganizationName("Example")
                CommonName(name)
            },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([hosts.isEmpty ? .clientAuth : .serverAuth])
                AuthorityKeyIdentifier(keyIdentifier: issuer)
                if !hosts.isEmpty { SubjectAlternativeNames(hosts.map { .dnsName($0) }) }
            },
            issuerPrivateKey: .init(self.key))
    }
}

extension Certificate {
    /// The certificate in DER.
    package func der() throws -> Data {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return Data(serializer.serializedBytes)
    }
}
