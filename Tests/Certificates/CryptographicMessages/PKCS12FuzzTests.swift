import Crypto
import CryptographicMessages
import Foundation
import TestInputs
import Testing

/// Changed PKCS #12 files: no crash, no endless work, no other key.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct PKCS12FuzzTests {
    @Test(arguments: ["-iter 2", "-iter 2 -legacy"])
    func `a changed file is refused or yields the same key`(_ options: String) throws {
        let identity = try Identity.of(.p256)
        let file = try PKCS12Fixture.openSSL(identity, password: "p", options)
        var generator = SplitMix64(seed: Mutation.seed &+ 1)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(file, using: &generator)
            guard let contents = try? PKCS12.open(changed, password: "p") else { continue }
            #expect(contents.privateKey == identity.key.pkcs8, "\(changed.base64EncodedString())")
        }
    }

    // What a mutation changes is authenticated anew, so that the readers behind the MAC meet it.
    @Test(arguments: ["", "-keypbe NONE -certpbe NONE"])
    func `a changed file whose MAC is right is refused or yields a key with its certificate`(_ options: String) throws {
        let identity = try Identity.of(.p256)
        let file = try PKCS12Fixture.openSSL(identity, password: "p", "-iter 2 " + options)
        let content = try PKCS12Craft.content(of: file)
        #expect(
            try PKCS12.open(PKCS12Craft.file(content, password: "p"), password: "p").key.pkcs8 == identity.key.pkcs8)
        var generator = SplitMix64(seed: Mutation.seed &+ 2)
        for _ in 0..<Mutation.iterations {
            let changed = PKCS12Craft.file(Mutation.mutateDER(content, using: &generator), password: "p")
            guard let contents = try? PKCS12.open(changed, password: "p") else { continue }
            #expect(!contents.certificates.isEmpty)
        }
    }
}

/// Writes a PKCS #12 file around given content, with the MAC it must have.
enum PKCS12Craft {
    private static let salt = Data([1, 2, 3, 4, 5, 6, 7, 8])

    /// The octets that the MAC of a file is over.
    static func content(of file: Data) throws -> Data {
        let bytes = [UInt8](file)
        var outer = DERCursor(bytes)
        var pfx = try outer.enter(DERTag.sequence)
        _ = try pfx.next(DERTag.integer)
        var info = try pfx.enter(DERTag.sequence)
        _ = try info.next(DERTag.objectIdentifier)
        var explicit = try info.enter(DERTag.context0)
        return Data(bytes[try explicit.next(DERTag.octetString).content])
    }

    static func file(_ content: Data, password: String) -> Data {
        let mac = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: macKey(password)))
        let sha256: [UInt8] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 2, 1, 5, 0]
        let data: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1]
        let digest = element(0x30, Data(sha256) + element(4, Data(mac)))
        let macData = element(0x30, digest + element(4, salt) + element(2, Data([1])))
        let safe = element(0x30, Data(data) + element(0xa0, element(4, content)))
        return element(0x30, element(2, Data([3])) + safe + macData)
    }

    /// RFC 7292, appendix B.2, for one block of key and one iteration.
    private static func macKey(_ password: String) -> Data {
        let text = Data((password + "\0").utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        var hash = SHA256()
        hash.update(data: Data(repeating: 3, count: 64))
        hash.update(data: repeated(salt))
        hash.update(data: repeated(text))
        return Data(hash.finalize())
    }

    private static func repeated(_ data: Data) -> Data {
        Data((0..<64).map { data[$0 % data.count] })
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        let count = content.count
        let length: [UInt8] =
            count < 128 ? [UInt8(count)] : [0x83, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
        // OpenSSL reads lengths that are not the shortest, too.
        return Data([tag] + length) + content
    }
}
