import CryptographicMessages
import Foundation
import SCEP

/// A SCEP message put together piece by piece, as clients other than ours would, or should not.
struct SCEPMessage {
    static let messageType = "2.16.840.1.113733.1.9.2"
    static let senderNonce = "2.16.840.1.113733.1.9.5"
    static let transactionID = "2.16.840.1.113733.1.9.7"

    var signer: Identity
    var content: Data
    var cipher: ContentCipher = .aes128
    var digest: SCEPDigest = .sha256
    var attributes: KeyValuePairs<String, SignedMessage.SignedAttribute> = [
        messageType: .text("19"), transactionID: .text("T-1"), senderNonce: .octets(Data(1...16)),
    ]

    /// A request like those of Apple's client: RSA-2048, AES-128, SHA-256, the challenge in the request.
    init(signer: Identity) throws {
        self.signer = signer
        content = try CertificateRequest.make(subject: [[["CN", "x"]]], challenge: "code", key: signer.key)
    }

    func encoded(to recipient: Data) throws -> Data {
        try signed(EnvelopedMessage.seal(content, to: recipient, with: cipher))
    }

    func signed(_ envelope: Data) throws -> Data {
        try SignedMessage.sign(
            envelope, attributes: attributes, certificateDER: signer.certificateDER, key: LibraryKey(signer.key),
            digest: digest)
    }
}

/// Rewrites DER as the streaming BER that some CMS libraries send.
enum StreamingBER {
    /// Gives the outer `depth` levels indefinite lengths and splits the octet string that carries the content.
    static func encode(_ der: Data) throws -> Data {
        let bytes = [UInt8](der)
        var cursor = DERCursor(bytes)
        var info = try cursor.enter(0x30)
        let type = bytes[try info.next(0x06).range]
        var explicit = try info.enter(0xa0)
        var signedData = try explicit.enter(0x30)
        var out: [UInt8] = [0x30, 0x80] + type + [0xa0, 0x80, 0x30, 0x80]
        out += bytes[try signedData.next(0x02).range]
        out += bytes[try signedData.next(0x31).range]
        var content = try signedData.enter(0x30)
        out += [0x30, 0x80] + bytes[try content.next(0x06).range] + [0xa0, 0x80, 0x24, 0x80]
        var wrapper = try content.enter(0xa0)
        let octets = bytes[try wrapper.next(0x04).content]
        for start in stride(from: octets.startIndex, to: octets.endIndex, by: 200) {
            out += CMSCraft.tlv(0x04, Array(octets[start..<min(start + 200, octets.endIndex)]))
        }
        out += [0, 0, 0, 0, 0, 0]
        while !signedData.isAtEnd { out += bytes[try signedData.next().range] }
        return Data(out + [0, 0, 0, 0, 0, 0])
    }
}
