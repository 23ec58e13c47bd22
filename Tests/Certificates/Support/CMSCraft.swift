import Crypto
import CryptoExtras
import CryptographicMessages
import Foundation

/// Writes detached signatures with chosen deviations, truly signed, that no mutation would find.
struct CMSCraft {
    typealias Bytes = [UInt8]

    var identity: Identity
    var body: Data
    var attributes: [Bytes]
    var version: Bytes = [2, 1, 1]
    var digestAlgorithms: [Bytes] = [sha256]
    var signerDigest: Bytes = sha256
    var content: Bytes = data
    var unsignedAttributes: Bytes = []
    var certificates: [Bytes]
    var signerCount = 1
    var signatureAlgorithm: Bytes = tlv(0x30, rsaEncryption + [5, 0])
    var omitsAttributes = false

    init(_ identity: Identity, body: Data) {
        self.identity = identity
        self.body = body
        certificates = [Bytes(identity.certificateDER)]
        attributes = [
            Self.attribute(Self.contentType, [Self.data]),
            Self.attribute(Self.messageDigest, [Self.tlv(4, Bytes(SHA256.hash(data: body)))]),
        ]
    }

    func encoded() throws -> Data {
        let attributes = attributes.flatMap { $0 }
        let signed = Self.tlv(0x31, attributes)
        let signature = try rsaSignature(over: omitsAttributes ? Data(body) : Data(signed))
        let signer = Self.tlv(
            0x30,
            version + Self.issuerAndSerial(of: Bytes(identity.certificateDER)) + signerDigest
                + (omitsAttributes ? [] : Self.tlv(0xa0, attributes)) + signatureAlgorithm
                + Self.tlv(4, signature) + unsignedAttributes)
        let signedData =
            version + Self.tlv(0x31, digestAlgorithms.flatMap { $0 }) + Self.tlv(0x30, content)
            + (certificates.isEmpty ? [] : Self.tlv(0xa0, certificates.flatMap { $0 }))
            + Self.tlv(0x31, Array(repeating: signer, count: signerCount).flatMap { $0 })
        return Data(Self.tlv(0x30, Self.signedData + Self.tlv(0xa0, Self.tlv(0x30, signedData))))
    }

    private func rsaSignature(over message: Data) throws -> Bytes {
        guard case .rsa(let key) = identity.key else { throw UnusableKey.unreadable }
        return Bytes(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
    }

    static func tlv(_ tag: UInt8, _ content: Bytes) -> Bytes {
        let count = content.count
        switch count {
        case 0..<0x80: return [tag, UInt8(count)] + content
        case 0x80..<0x100: return [tag, 0x81, UInt8(count)] + content
        default: return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + content
        }
    }

    static func attribute(_ type: Bytes, _ values: [Bytes]) -> Bytes {
        tlv(0x30, type + tlv(0x31, values.flatMap { $0 }))
    }

    /// Issuer and serial number as they stand in a certificate that has a version field.
    private static func issuerAndSerial(of certificate: Bytes) -> Bytes {
        do {
            var outer = DERCursor(certificate)
            var inner = try outer.enter(0x30)
            var body = try inner.enter(0x30)
            _ = try body.next(0xa0)
            let serial = try body.next(2).range
            _ = try body.next(0x30)
            return tlv(0x30, Bytes(certificate[try body.next(0x30).range] + certificate[serial]))
        } catch {
            return []
        }
    }

    static let data: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1]
    static let signedData: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]
    static let contentType: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 3]
    static let messageDigest: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4]
    static let signingTime: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 5]
    static let countersignature: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 6]
    static let rsaEncryption: Bytes = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
    static let sha256: Bytes = tlv(0x30, [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0])
    static let sha384: Bytes = tlv(0x30, [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2, 5, 0])
    static let sha1: Bytes = tlv(0x30, [6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0])
    static let time: Bytes = tlv(0x17, Bytes("271121120000Z".utf8))
}
