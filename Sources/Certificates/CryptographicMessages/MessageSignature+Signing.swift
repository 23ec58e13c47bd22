import Crypto
import CryptoExtras
package import Foundation
package import Signatures
import SwiftASN1

extension MessageSignature {
    /// Signs `body` as a device does: detached, with signed attributes, the certificate included.
    ///
    /// `chain` holds the certificates that vouch for the signer's. With `time` the signature says when it was made.
    package static func sign(
        _ body: Data, certificateDER: Data, key: SigningKey, chain: [Data] = [], at time: Date? = nil
    ) throws -> Data {
        let draft = try MessageDraft(
            body, certificateDER: certificateDER, chain: chain, kind: key.messageKeyKind, at: time)
        return try draft.signed(Data(key.signature(over: Array(draft.toBeSigned))))
    }
}

/// The kinds of keys that sign messages: each goes with one digest.
package enum MessageKeyKind: Sendable, Equatable {
    case rsa, p256, p384

    package var hash: SignatureAlgorithm.Hash { self == .p384 ? .sha384 : .sha256 }
}

/// A message signature without its signature: for keys that sign elsewhere, such as in a chip.
package struct MessageDraft: Sendable {
    private let certificate: [UInt8]
    private let chain: [[UInt8]]
    private let kind: MessageKeyKind
    private let attributes: [UInt8]

    /// What the key signs, after it was digested as its kind demands.
    package var toBeSigned: Data { Data(attributes) }

    package init(
        _ body: Data, certificateDER: Data, chain: [Data] = [], kind: MessageKeyKind, at time: Date? = nil
    ) throws {
        certificate = [UInt8](certificateDER)
        self.chain = chain.map { [UInt8]($0) }
        self.kind = kind
        let bodyDigest: [UInt8] = kind == .p384 ? Array(SHA384.hash(data: body)) : Array(SHA256.hash(data: body))
        var attributes = DER.Serializer()
        try attributes.writeSignedAttributes(messageDigest: bodyDigest, time: time)
        self.attributes = attributes.serializedBytes
    }

    /// The whole, with the signature over `toBeSigned`; an ECDSA signature is DER.
    package func signed(_ signature: Data) throws -> Data {
        let outline = try CertificateOutline(certificate, within: 0..<certificate.count)
        let (digest, signatureAlgorithm) = Self.algorithms(of: kind)
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
                    signedData.appendConstructedNode(identifier: .context0) { set in
                        // A set in DER is sorted.
                        for der in ([certificate] + chain).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                            set.serializeRawBytes(der)
                        }
                    }
                    try signedData.appendConstructedNode(identifier: .set) { signers in
                        try signers.appendConstructedNode(identifier: .sequence) { signer in
                            try signer.serialize(1)
                            signer.appendConstructedNode(identifier: .sequence) {
                                $0.serializeRawBytes(certificate[outline.issuer])
                                $0.serializeRawBytes(certificate[outline.serial])
                            }
                            signer.writeAlgorithm(digest.identifier)
                            signer.serializeRawBytes([DERTag.context0] + attributes.dropFirst())
                            signer.writeAlgorithm(signatureAlgorithm, hasNull: kind == .rsa)
                            try signer.serialize(ASN1OctetString(contentBytes: Array(signature)[...]))
                        }
                    }
                }
            }
        }
        return Data(cms.serializedBytes)
    }

    private static func algorithms(of kind: MessageKeyKind) -> (MessageDigest, [UInt8]) {
        switch kind {
        case .rsa: (.sha256, ObjectIdentifiers.rsaEncryption)
        case .p256: (.sha256, ObjectIdentifiers.ecdsaWithSHA256)
        case .p384: (.sha384, ObjectIdentifiers.ecdsaWithSHA384)
        }
    }
}

extension SigningKey {
    package var messageKeyKind: MessageKeyKind {
        switch self {
        case .rsa: .rsa
        case .p256: .p256
        case .p384: .p384
        }
    }

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

    /// In the order of DER: the shorter comes first.
    fileprivate mutating func writeSignedAttributes(messageDigest: [UInt8], time: Date?) throws {
        try appendConstructedNode(identifier: .set) { set in
            set.appendConstructedNode(identifier: .sequence) {
                $0.writeObjectIdentifier(ObjectIdentifiers.contentType)
                $0.appendConstructedNode(identifier: .set) { $0.writeObjectIdentifier(ObjectIdentifiers.data) }
            }
            if let time {
                let (tag, content) = SigningTime.element(of: time)
                set.appendConstructedNode(identifier: .sequence) {
                    $0.writeObjectIdentifier(ObjectIdentifiers.signingTime)
                    $0.appendConstructedNode(identifier: .set) {
                        let identifier: ASN1Identifier = tag == DERTag.utcTime ? .utcTime : .generalizedTime
                        $0.appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: content) }
                    }
                }
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
