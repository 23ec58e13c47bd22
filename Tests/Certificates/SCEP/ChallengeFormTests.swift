import Crypto
import CryptographicMessages
import Foundation
import SCEP
import SwiftASN1
import Testing
import X509

/// RFC 2985 §5.4: attributes of certificate requests, in every form that a client's library may write.
struct ChallengeFormTests {
    private static let challengePassword: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 7]
    private static let unstructuredName: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 2]

    /// A value of one type: `bytes` are fewer than 128.
    private func value(_ tag: UInt8, _ bytes: [UInt8]) throws -> ASN1Any {
        try ASN1Any(derEncoded: [tag, UInt8(bytes.count)] + bytes)
    }

    private func request(_ attributes: [CertificateSigningRequest.Attribute]) throws -> CertificateRequest {
        let request = try CertificateSigningRequest(
            version: .v1, subject: DistinguishedName { CommonName("x") },
            privateKey: SigningKey.p256(P256.Signing.PrivateKey()).certificateKey, attributes: .init(attributes))
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        return try CertificateRequest(parsing: Data(serializer.serializedBytes))
    }

    private func challenge(_ tag: UInt8, _ bytes: [UInt8]) throws -> String? {
        try request([.init(oid: Self.challengePassword, values: [value(tag, bytes)])]).challengePassword
    }

    /// Red while TeletexString, BMPString and UniversalString were no challenge, and "_" in a PrintableString was none.
    @Test func `a challenge is read in each form of a DirectoryString, and in those of careless writers`() throws {
        let code = Array("co-42".utf8)
        for tag: UInt8 in [0x0c, 0x13, 0x14, 0x16, 0x1a] { #expect(try challenge(tag, code) == "co-42") }
        #expect(try challenge(0x12, Array("42".utf8)) == "42")
        #expect(try challenge(0x13, Array("a_b@c".utf8)) == "a_b@c")
        #expect(try challenge(0x1e, code.flatMap { [0, $0] }) == "co-42")
        #expect(try challenge(0x1c, code.flatMap { [0, 0, 0, $0] }) == "co-42")
        #expect(try challenge(0x0c, Array("ü€".utf8)) == "ü€")
        #expect(try challenge(0x14, [0xfc]) == "ü")
        #expect(try challenge(0x1e, [0x00, 0xfc, 0x20, 0xac, 0xd8, 0x3d, 0xde, 0x00]) == "ü€😀")
        #expect(try challenge(0x1c, [0x00, 0x01, 0xf6, 0x00]) == "😀")
        #expect(try challenge(0x0c, []) == nil)
    }

    private static let broken: [(UInt8, [UInt8])] = [
        (0x0c, [0xff]), (0x13, [0xfc]), (0x1e, [0x00]), (0x1e, [0xd8, 0x3d]), (0x1c, [0x00, 0x41]),
        (0x1c, [0x00, 0x11, 0x00, 0x00]), (0x04, [0x41]), (0x02, [0x41]), (0x0c, [0x41, 0x00]), (0x1e, [0x00, 0x00]),
    ]

    @Test(arguments: broken)
    func `what is not the text that its type says, or holds a NUL, is refused`(_ tag: UInt8, _ bytes: [UInt8]) {
        #expect(throws: CertificateRequestRefusal.attributes) { try challenge(tag, bytes) }
    }

    @Test func `a challenge has one value, and other attributes are passed over`() throws {
        let text = try value(0x0c, Array("code".utf8))
        let attribute = CertificateSigningRequest.Attribute(oid: Self.challengePassword, values: [text])
        let name = CertificateSigningRequest.Attribute(oid: Self.unstructuredName, values: [text])
        let extensions = try Certificate.Extensions { SubjectAlternativeNames([.dnsName("localhost")]) }
        let asked = try CertificateSigningRequest.Attribute(ExtensionRequest(extensions: extensions))
        #expect(try request([name, asked, attribute]).challengePassword == "code")
        #expect(try request([name, asked]).challengePassword == nil)
        let two = CertificateSigningRequest.Attribute(
            oid: Self.challengePassword, values: [text, try value(0x0c, Array("other".utf8))])
        #expect(throws: CertificateRequestRefusal.attributes) { try request([two]) }
    }
}
