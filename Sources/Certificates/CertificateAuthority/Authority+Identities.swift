import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
import X509

extension Authority {
    /// Issues the certificate of an app's identity for a key (SubjectPublicKeyInfo) whose possession was proven.
    ///
    /// Everything it says comes from `profile`; it names where to look whether it is revoked.
    package func issueIdentity(
        publicKeyDER: Data, profile: IdentityProfile, now: Date, serial: CertificateSerial = .random()
    ) throws -> Data {
        guard publicKeyDER.count <= Self.inputLimit,
            let publicKey = try? Certificate.PublicKey(derEncoded: [UInt8](publicKeyDER)),
            Self.isAcceptable(publicKey), profile.key.map({ Self.is(publicKey, $0) }) ?? true
        else { throw IssuanceRefusal.publicKey }
        try profile.check()
        let names = try profile.alternativeNames
        let isRSA = _RSA.Signing.PublicKey(publicKey) != nil
        let usages = try Self.usages(profile.purposes)
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            // A key on a curve agrees on keys; it enciphers none.
            Critical(
                KeyUsage(
                    digitalSignature: profile.signs, keyEncipherment: profile.enciphers && isRSA,
                    keyAgreement: profile.enciphers && !profile.signs && !isRSA))
            try ExtendedKeyUsage(usages)
            if !names.isEmpty { SubjectAlternativeNames(names) }
            SubjectKeyIdentifier(hash: publicKey)
            authorityKeyIdentifier
            if let revocationList { Self.distributionPoint(revocationList) }
            if let statusService {
                AuthorityInformationAccess([
                    .init(method: .ocspServer, location: .uniformResourceIdentifier(statusService))
                ])
            }
        }
        return try sign(
            publicKey: publicKey, subject: profile.distinguishedName, extensions: extensions,
            notBefore: now - Self.clockTolerance, notAfter: now + profile.validity, serial: serial
        ).der
    }

    private static func `is`(_ key: Certificate.PublicKey, _ demand: IdentityProfile.Key) -> Bool {
        switch demand {
        case .rsa(let bits): _RSA.Signing.PublicKey(key)?.keySizeInBits == bits
        case .ec(256): P256.Signing.PublicKey(key) != nil
        case .ec(384): P384.Signing.PublicKey(key) != nil
        case .ec: false
        }
    }

    private static func usages(_ purposes: [String]) throws(IssuanceRefusal) -> [ExtendedKeyUsage.Usage] {
        var usages = [ExtendedKeyUsage.Usage.clientAuth]
        for purpose in purposes {
            guard let number = ASN1ObjectIdentifier(dotted: purpose) else { throw .profile }
            let usage = ExtendedKeyUsage.Usage(oid: number)
            if !usages.contains(usage) { usages.append(usage) }
        }
        return usages
    }

    /// CRLDistributionPoints (RFC 5280 §4.2.1.13) with one place.
    private static func distributionPoint(_ url: String) -> Certificate.Extension {
        func tagged(_ number: UInt) -> ASN1Identifier { .init(tagWithNumber: number, tagClass: .contextSpecific) }
        var points = DER.Serializer()
        points.appendConstructedNode(identifier: .sequence) { points in
            points.appendConstructedNode(identifier: .sequence) { point in
                point.appendConstructedNode(identifier: tagged(0)) { name in
                    name.appendConstructedNode(identifier: tagged(0)) { names in
                        names.appendPrimitiveNode(identifier: tagged(6)) { $0.append(contentsOf: url.utf8) }
                    }
                }
            }
        }
        return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: points.serializedBytes[...])
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
