import Crypto
import CryptoExtras
import CryptographicMessages
import Foundation

/// `Mdm-Signature` as Apple's devices write it: BER with lengths left open, and no signed attributes.
enum AppleSignature {
    /// Signs with SHA-1 instead of SHA-256, as systems before 2022 do, if told so.
    static func header(
        over body: Data, by identity: PlayedDevice.Identity, sha1: Bool = false
    ) throws -> String {
        guard case .rsa(let key) = identity.key else { throw UnusableKey.unreadable }
        let signature =
            try sha1
            ? key.signature(for: Insecure.SHA1.hash(data: body), padding: .insecurePKCS1v1_5)
            : key.signature(for: SHA256.hash(data: body), padding: .insecurePKCS1v1_5)
        let certificate = [UInt8](identity.certificate)
        let digest = definite(0x30, (sha1 ? sha1Identifier : sha256Identifier) + null)
        let signatureValue = definite(0x04, [UInt8](signature.rawRepresentation))
        let signer: [[UInt8]] = [
            version, try issuerAndSerial(of: certificate), digest, definite(0x30, rsaEncryption + null), signatureValue,
        ]
        let parts: [[UInt8]] = [
            version, definite(0x31, digest), indefinite(0x30, data), definite(0xa0, certificate),
            definite(0x31, definite(0x30, signer.flatMap { $0 })),
        ]
        let signedData = indefinite(0x30, parts.flatMap { $0 })
        return Data(indefinite(0x30, signedDataIdentifier + indefinite(0xa0, signedData))).base64EncodedString()
    }

    private static func issuerAndSerial(of certificate: [UInt8]) throws -> [UInt8] {
        var outer = DERCursor(certificate)
        var inner = try outer.enter(DERTag.sequence)
        var body = try inner.enter(DERTag.sequence)
        _ = try body.next(DERTag.context0)
        let serial = try body.next(DERTag.integer).range
        _ = try body.next(DERTag.sequence)
        let issuer = try body.next(DERTag.sequence).range
        return definite(0x30, Array(certificate[issuer]) + Array(certificate[serial]))
    }

    private static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }

    private static func definite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + content
    }

    private static let version: [UInt8] = [2, 1, 1]
    private static let null: [UInt8] = [5, 0]
    private static let data: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1]
    private static let signedDataIdentifier: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]
    private static let rsaEncryption: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
    private static let sha256Identifier: [UInt8] = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]
    private static let sha1Identifier: [UInt8] = [6, 5, 0x2b, 0x0e, 3, 2, 0x1a]
}
