package import Foundation
import SwiftASN1
import X509

extension Authority {
    /// Certifies the key with which a chip vouches for others, once the chip has proven that it holds it.
    ///
    /// `permanentIdentifier` is the name of the device that every key so vouched for carries on.
    package func issueAttestationKey(
        publicKeyDER: Data, permanentIdentifier: String, now: Date, validity: TimeInterval = deviceValidity,
        serial: CertificateSerial = .random()
    ) throws -> Data {
        guard publicKeyDER.count <= Self.inputLimit,
            let key = try? Certificate.PublicKey(derEncoded: [UInt8](publicKeyDER)), Self.isAcceptable(key)
        else { throw IssuanceRefusal.publicKey }
        guard (1...255).contains(permanentIdentifier.utf8.count) else { throw IssuanceRefusal.permanentIdentifier }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([ExtendedKeyUsage.Usage(oid: [2, 23, 133, 8, 3])])
            try Self.alternativeName(permanentIdentifier)
            SubjectKeyIdentifier(hash: key)
            authorityKeyIdentifier
        }
        return try sign(
            publicKey: key, subject: DistinguishedName { CommonName(String(permanentIdentifier.prefix(64))) },
            extensions: extensions, notBefore: now - Self.clockTolerance, notAfter: now + validity, serial: serial
        ).der
    }

    /// The name as RFC 4043 writes it.
    private static func alternativeName(_ permanentIdentifier: String) throws -> Certificate.Extension {
        let context0 = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        var names = DER.Serializer()
        try names.appendConstructedNode(identifier: .sequence) { names in
            try names.appendConstructedNode(identifier: context0) { name in
                try name.serialize([1, 3, 6, 1, 5, 5, 7, 8, 3] as ASN1ObjectIdentifier)
                try name.appendConstructedNode(identifier: context0) { value in
                    try value.appendConstructedNode(identifier: .sequence) {
                        try $0.serialize(ASN1UTF8String(permanentIdentifier))
                    }
                }
            }
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.subjectAlternativeName, critical: false, value: names.serializedBytes[...])
    }
}
