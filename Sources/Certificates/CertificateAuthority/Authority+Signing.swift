import Crypto
import CryptoExtras
import SwiftASN1
import X509

extension Authority {
    /// What is to be believed, how it is signed, and the signature: the form of lists and answers alike, in DER.
    func signed(_ body: [UInt8]) throws -> [UInt8] {
        let signature = try rsa.signature(for: SHA256.hash(data: body), padding: .insecurePKCS1v1_5)
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { parts in
            parts.serializeRawBytes(body)
            try Self.writeAlgorithm(&parts)
            try parts.serialize(ASN1BitString(bytes: [UInt8](signature.rawRepresentation)[...]))
        }
        return whole.serializedBytes
    }

    /// sha256WithRSAEncryption.
    static func writeAlgorithm(_ list: inout DER.Serializer) throws {
        try list.appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(ASN1ObjectIdentifier.AlgorithmIdentifier.sha256WithRSAEncryption)
            try fields.serialize(ASN1Null())
        }
    }
}
