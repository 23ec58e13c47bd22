import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1

extension MessageSignature {
    /// Signs `body` as a device does: detached, with signed attributes, the certificate included.
    package static func sign(_ body: Data, certificateDER: Data, key: SigningKey) throws -> Data {
        let certificate = [UInt8](certificateDER)
        let outline = try CertificateOutline(certificate, within: 0..<certificate.count)
        let (digest, signatureAlgorithm) = algorithms(of: key)
        let bodyDigest: [UInt8] = digest == .sha384 ? Array(SHA384.hash(data: body)) : Array(SHA256.hash(data: body))

        var attributes = DER.Serializer()
        try attributes.writeSignedAttributes(messageDigest: bodyDigest)
        let signature = try key.signature(over: attributes.serializedBytes)

        var cms = DER.Serializer()
        try cms.appendConstructedNode(identifier: .sequence) { contentInfo in
            contentInfo.writeObjectIdentifier(ObjectIdentifiers.signedData)
            try contentInfo.appendConstructedNode(identifier: .context0) { explicit in
                try explicit.appendConstructedNode(identifier: .sequence) { signedData in
                    try signedData.serialize(1)
                    signedData.appendConstructedNode(identifier: .set) {
                        $0.writeAlgorithm(digest.identifier)
                    }
                    signedData.appendConstructedNode(identifier: .sequence) {
                        $0.writeObjectIdentifier(ObjectIdentifiers.data)
                    }
                    signedData.appendConstructedNode(identifier: .context0) { $0.serializeRawBytes(certificate) }
                    try signedData.appendConstructedNode(identifier: .set) { signers in
                        try signers.appendConstructedNode(identifier: .sequence) { signer in
                            try signer.serialize(1)
                            signer.appendConstructedNode(identifier: .sequence) {
                                $0.serializeRawBytes(certificate[outline.issuer])
                                $0.serializeRawBytes(certificate[outline.serial])
                            }
                            signer.writeAlgorithm(digest.identifier)
                            signer.serializeRawBytes([DERTag.context0] + attributes.serializedBytes.dropFirst())
                            signer.writeAlgorithm(signatureAlgorithm, hasNull: key.isRSA)
                            try signer.serialize(ASN1OctetString(contentBytes: signature[...]))
                        }
                    }
                }
            }
        }
        return Data(cms.serializedBytes)
    }

    private static func algorithms(of key: SigningKey) -> (MessageDigest, [UInt8]) {
        switch key {
        case .rsa: (.sha256, ObjectIdentifiers.rsaEncryption)
        case .p256: (.sha256, ObjectIdentifiers.ecdsaWithSHA256)
        case .p384: (.sha384, ObjectIdentifiers.ecdsaWithSHA384)
        }
    }
}

extension SigningKey {
    /// Signs with the digest that goes with the key: SHA-384 for P-384, SHA-256 otherwise.
    func signature(over message: [UInt8]) throws -> [UInt8] {
        switch self {
        case .rsa(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .p256(let key): Array(try key.signature(for: SHA256.hash(data: message)).derRepresentation)
        case .p384(let key): Array(try key.signature(for: SHA384.hash(data: message)).derRepresentation)
        }
    }
}

extension ASN1Identifier {
    fileprivate static let context0 = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension DER.Serializer {
    fileprivate mutating func writeObjectIdentifier(_ content: [UInt8]) {
        appendPrimitiveNode(identifier: .objectIdentifier) { $0.append(contentsOf: content) }
    }

    fileprivate mutating func writeAlgorithm(_ identifier: [UInt8], hasNull: Bool = true) {
        appendConstructedNode(identifier: .sequence) {
            $0.writeObjectIdentifier(identifier)
            if hasNull { $0.appendPrimitiveNode(identifier: .null) { _ in } }
        }
    }

    /// The order of DER: content type is the shorter, so it comes first.
    fileprivate mutating func writeSignedAttributes(messageDigest: [UInt8]) throws {
        try appendConstructedNode(identifier: .set) { set in
            set.appendConstructedNode(identifier: .sequence) {
                $0.writeObjectIdentifier(ObjectIdentifiers.contentType)
                $0.appendConstructedNode(identifier: .set) { $0.writeObjectIdentifier(ObjectIdentifiers.data) }
            }
            try set.appendConstructedNode(identifier: .sequence) {
                $0.writeObjectIdentifier(ObjectIdentifiers.messageDigest)
                try $0.appendConstructedNode(identifier: .set) {
                    try $0.serialize(ASN1OctetString(contentBytes: messageDigest[...]))
                }
            }
        }
    }
}
