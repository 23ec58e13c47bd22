import Crypto
import CryptoExtras
import CryptographicMessages
import Foundation

/// A message signature as Apple's devices write it: BER with lengths left open, no signed attributes.
enum AppleSignature {
    static func of(_ body: Data, certificateDER: Data, key: SigningKey) throws -> Data {
        guard case .rsa(let key) = key else { throw LoadFailure("Apple's devices sign with RSA") }
        let signature = try key.signature(for: SHA256.hash(data: body), padding: .insecurePKCS1v1_5)
        let certificate = [UInt8](certificateDER)
        let digest = element(0x30, sha256 + null)
        let signer: [[UInt8]] = [
            version, try identifier(of: certificate), digest, element(0x30, rsaEncryption + null),
            element(0x04, [UInt8](signature.rawRepresentation)),
        ]
        let parts: [[UInt8]] = [
            version, element(0x31, digest), indefinite(0x30, data), element(0xA0, certificate),
            element(0x31, element(0x30, Array(signer.joined()))),
        ]
        return Data(indefinite(0x30, signedData + indefinite(0xA0, indefinite(0x30, Array(parts.joined())))))
    }

    /// Issuer and serial number of a certificate, as a signer is named.
    private static func identifier(of certificate: [UInt8]) throws -> [UInt8] {
        var outer = DERCursor(certificate)
        var whole = try outer.enter(DERTag.sequence)
        var fields = try whole.enter(DERTag.sequence)
        _ = try fields.next(DERTag.context0)
        let serial = try fields.next(DERTag.integer).range
        _ = try fields.next(DERTag.sequence)
        let issuer = try fields.next(DERTag.sequence).range
        return element(0x30, Array(certificate[issuer]) + Array(certificate[serial]))
    }

    /// An element whose end is marked, in place of a length.
    private static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length = count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    private static let version: [UInt8] = [0x02, 1, 1]
    private static let null: [UInt8] = [0x05, 0]
    private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1]
    private static let data: [UInt8] = [0x06, 9] + pkcs + [7, 1]
    private static let signedData: [UInt8] = [0x06, 9] + pkcs + [7, 2]
    private static let rsaEncryption: [UInt8] = [0x06, 9] + pkcs + [1, 1]
    private static let sha256: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]
}
