import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import Testing

/// The one shape that is read: every deviation is truly signed and still refused.
struct MessageSignatureShapeTests {
    private static let body = Data("body".utf8)

    struct Deviation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: SignatureRefusal?
        let change: @Sendable (inout CMSCraft) -> Void

        init(_ name: String, _ refusal: SignatureRefusal?, _ change: @escaping @Sendable (inout CMSCraft) -> Void) {
            testDescription = name
            self.refusal = refusal
            self.change = change
        }
    }

    private static let digest = CMSCraft.attribute(
        CMSCraft.messageDigest, [CMSCraft.tlv(4, [UInt8](SHA256.hash(data: body)))])
    private static let type = CMSCraft.attribute(CMSCraft.contentType, [CMSCraft.data])

    static let deviations: [Deviation] = [
        Deviation("none", nil) { _ in },
        Deviation("signing time", nil) {
            $0.attributes.append(CMSCraft.attribute(CMSCraft.signingTime, [CMSCraft.time]))
        },
        Deviation("an unknown attribute", nil) {
            $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 3], [[5, 0]]))
        },
        Deviation("attributes in another order", nil) { $0.attributes.reverse() },
        Deviation("algorithm parameters absent", nil) {
            $0.digestAlgorithms = [CMSCraft.tlv(0x30, Array(CMSCraft.sha256[2..<13]))]
            $0.signerDigest = $0.digestAlgorithms[0]
        },
        Deviation("no attributes", .attributesMissing) { $0.omitsAttributes = true },
        Deviation("empty attributes", .attributes) { $0.attributes = [] },
        Deviation("no content type", .attributes) { $0.attributes = [digest] },
        Deviation("no message digest", .attributes) { $0.attributes = [type] },
        Deviation("content type twice", .attributes) { $0.attributes.append(type) },
        Deviation("message digest twice", .attributes) { $0.attributes.append(digest) },
        Deviation("two message digests, the wrong one first", .attributes) {
            $0.attributes = [
                type, CMSCraft.attribute(CMSCraft.messageDigest, [CMSCraft.tlv(4, Array(repeating: 0, count: 32))]),
                digest,
            ]
        },
        Deviation("two values of the digest", .attributes) {
            let value = CMSCraft.tlv(4, [UInt8](SHA256.hash(data: body)))
            $0.attributes = [type, CMSCraft.attribute(CMSCraft.messageDigest, [value, value])]
        },
        Deviation("no value of the digest", .malformed) {
            $0.attributes = [type, CMSCraft.attribute(CMSCraft.messageDigest, [])]
        },
        Deviation("a short digest", .bodyDiffers) {
            let value = CMSCraft.tlv(4, [UInt8](SHA256.hash(data: body).prefix(31)))
            $0.attributes = [type, CMSCraft.attribute(CMSCraft.messageDigest, [value])]
        },
        Deviation("content type of an envelope", .attributes) {
            $0.attributes = [CMSCraft.attribute(CMSCraft.contentType, [CMSCraft.signedData]), digest]
        },
        Deviation("signing time twice", .attributes) {
            let time = CMSCraft.attribute(CMSCraft.signingTime, [CMSCraft.time])
            $0.attributes += [time, time]
        },
        Deviation("an unknown attribute twice", .attributes) {
            let unknown = CMSCraft.attribute([6, 2, 0x2a, 3], [[5, 0]])
            $0.attributes += [unknown, unknown]
        },
        Deviation("a countersignature among the signed", .attributes) {
            $0.attributes.append(CMSCraft.attribute(CMSCraft.countersignature, [[0x30, 0]]))
        },
        Deviation("seventeen attributes", .attributes) {
            for number in 0..<15 { $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, UInt8(number)], [[5, 0]])) }
        },
        // Found by fuzzing: OpenSSL refuses these four.
        Deviation("an attribute type with a leading zero", .attributes) {
            $0.attributes.append(CMSCraft.attribute([6, 3, 0x2a, 0x80, 3], [[5, 0]]))
        },
        Deviation("an attribute type cut short", .attributes) {
            $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 0x83], [[5, 0]]))
        },
        Deviation("an attribute value with a leading zero", .attributes) {
            $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 3], [[2, 2, 0, 1]]))
        },
        Deviation("attribute values in disorder", .attributes) {
            $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 3], [[5, 0], [4, 1, 7]]))
        },
        Deviation("several attribute values in order", nil) {
            $0.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 3], [[4, 1, 7], [5, 0]]))
        },
        Deviation("unsigned attributes", .unsignedAttributes) { $0.unsignedAttributes = CMSCraft.tlv(0xa1, digest) },
        Deviation("content included", .notDetachedSignedData) {
            $0.content = CMSCraft.data + CMSCraft.tlv(0xa0, CMSCraft.tlv(4, [UInt8](body)))
        },
        Deviation("content of another type", .notDetachedSignedData) { $0.content = CMSCraft.signedData },
        Deviation("version 3", .notDetachedSignedData) { $0.version = [2, 1, 3] },
        Deviation("no signer", .notExactlyOneSigner) { $0.signerCount = 0 },
        Deviation("two signers", .notExactlyOneSigner) { $0.signerCount = 2 },
        Deviation("SHA-1", .digestAlgorithm) {
            $0.digestAlgorithms = [CMSCraft.sha1]
            $0.signerDigest = CMSCraft.sha1
        },
        Deviation("no announced digest", .digestAlgorithm) { $0.digestAlgorithms = [] },
        Deviation("another announced digest", .digestAlgorithm) { $0.digestAlgorithms = [CMSCraft.sha384] },
        Deviation("no certificate", .signerCertificateMissing) { $0.certificates = [] },
        Deviation("the certificate twice", .signerCertificateMissing) { $0.certificates += $0.certificates },
        Deviation("another's certificate alone", .signerCertificateMissing) {
            $0.certificates = (try? [[UInt8](Identity.otherRSA.certificateDER)]) ?? []
        },
        Deviation("the authority's certificate as well", nil) {
            $0.certificates += (try? [[UInt8](Identity.authority.get().certificateDER)]) ?? []
        },
        // Found by fuzzing: nothing signs the others, and OpenSSL refuses a message with one that it cannot read.
        Deviation("another certificate that is none", .malformed) {
            let outline = CMSCraft.tlv(0x30, [2, 1, 1, 0x30, 0, 0x30, 0])
            $0.certificates.append(CMSCraft.tlv(0x30, outline))
        },
        Deviation("nine certificates", .tooManyCertificates) {
            $0.certificates = Array(repeating: $0.certificates[0], count: 9)
        },
        Deviation("an algorithm that signs nothing", .signatureAlgorithm) {
            $0.signatureAlgorithm = CMSCraft.tlv(0x30, CMSCraft.data + [5, 0])
        },
        Deviation("sha384WithRSA over SHA-256", .signatureAlgorithm) {
            $0.signatureAlgorithm = CMSCraft.tlv(0x30, CMSCraft.rsaEncryption.dropLast() + [12, 5, 0])
        },
        Deviation("sha256WithRSA", nil) {
            $0.signatureAlgorithm = CMSCraft.tlv(0x30, CMSCraft.rsaEncryption.dropLast() + [11, 5, 0])
        },
    ]

    @Test(arguments: deviations)
    func `a signature of another shape is refused, and never where only OpenSSL refuses`(_ deviation: Deviation) throws
    {
        var craft = CMSCraft(try Identity.rsa, body: Self.body)
        deviation.change(&craft)
        let cms = try craft.encoded()
        let signer = try PinnedSigner(certificateDER: craft.identity.certificateDER)
        if let refusal = deviation.refusal {
            #expect(throws: refusal) { try MessageSignature.verify(cms, over: Self.body, by: signer) }
        } else {
            try MessageSignature.verify(cms, over: Self.body, by: signer)
            #expect(OpenSSLReference.accepts(cms, over: Self.body))
        }
    }

    @Test func `lengths that are longer than needed, indefinite or beyond the end are refused`() {
        let bad: [[UInt8]] = [
            [], [0x30], [0x30, 0x80, 0, 0], [0x30, 0x81, 0x01, 0],
            [0x30, 0x82, 0x00, 0x80] + Array(repeating: 0, count: 128),
            [0x30, 0x84, 0xff, 0xff, 0xff, 0xff], [0x30, 0x85, 0, 0, 0, 0, 1, 0], [0x30, 0xff], [0x1f, 1, 0], [0, 0],
            [0x30, 2, 0],
        ]
        for bytes in bad {
            var cursor = DERCursor(bytes)
            #expect(throws: DERCursor.Malformed.self) { try cursor.next() }
        }
    }
}
