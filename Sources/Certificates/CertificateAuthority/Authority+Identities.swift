import CryptoExtras
package import Foundation
import SwiftASN1
import X509

/// What the certificate of an app's identity says.
package struct IdentityProfile: Sendable {
    /// Short, so that a lost device is out soon; the device renews long before.
    package static let validity: TimeInterval = 30 * 86_400

    package var commonName: String
    /// Names the device for good; stands among the alternative names (RFC 4043).
    package var permanentIdentifier: String?
    package var validity: TimeInterval

    package init(
        commonName: String, permanentIdentifier: String? = nil, validity: TimeInterval = IdentityProfile.validity
    ) {
        self.commonName = commonName
        self.permanentIdentifier = permanentIdentifier
        self.validity = validity
    }
}

extension Authority {
    /// Issues the certificate of an app's identity for a key (SubjectPublicKeyInfo) whose possession was proven.
    ///
    /// It is for clients, and no device certificate: no enrollment is pinned to it.
    package func issueIdentity(
        publicKeyDER: Data, profile: IdentityProfile, now: Date, serial: CertificateSerial = .random()
    ) throws -> Data {
        guard publicKeyDER.count <= Self.inputLimit,
            let publicKey = try? Certificate.PublicKey(derEncoded: [UInt8](publicKeyDER)),
            Self.isAcceptable(publicKey)
        else { throw IssuanceRefusal.publicKey }
        guard (1...64).contains(profile.commonName.utf8.count) else { throw IssuanceRefusal.commonName }
        let names = try profile.permanentIdentifier.map { [try Self.permanentIdentifier($0)] } ?? []
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true, keyEncipherment: _RSA.Signing.PublicKey(publicKey) != nil))
            try ExtendedKeyUsage([.clientAuth])
            if !names.isEmpty { SubjectAlternativeNames(names) }
            SubjectKeyIdentifier(hash: publicKey)
            authorityKeyIdentifier
        }
        return try sign(
            publicKey: publicKey, subject: DistinguishedName { CommonName(profile.commonName) },
            extensions: extensions, notBefore: now - Self.clockTolerance, notAfter: now + profile.validity,
            serial: serial
        ).der
    }

    /// `otherName` of type id-on-permanentIdentifier: a text, whose assigner is left out.
    private static func permanentIdentifier(_ text: String) throws -> GeneralName {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(text)) }
        let value = try ASN1Any(derEncoded: serializer.serializedBytes)
        return .otherName(.init(typeID: [1, 3, 6, 1, 5, 5, 7, 8, 3], value: value))
    }
}

extension Authority {
    /// The key of a certificate as SubjectPublicKeyInfo in DER; nothing where the certificate cannot be read.
    package static func publicKeyInfo(of certificateDER: Data) -> Data? {
        guard certificateDER.count <= inputLimit,
            let certificate = try? Certificate(derEncoded: [UInt8](certificateDER))
        else { return nil }
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(certificate.publicKey)) != nil else { return nil }
        return Data(serializer.serializedBytes)
    }
}
