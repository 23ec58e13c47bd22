import CryptographicMessages
import Foundation
import Testing

/// What bounds the forms that OpenSSL reads, and what is refused although OpenSSL accepts it.
struct MessageSignatureBoundTests {
    private static let body = Data("body".utf8)

    /// Changes a message that is right, signs it, and expects it to be refused so, or to be accepted.
    private func check(
        _ refusal: SignatureRefusal?, body: Data = Self.body, _ change: (inout CMSCraft) -> Void
    ) throws {
        var craft = CMSCraft(try Identity.rsa, body: body)
        change(&craft)
        let cms = try craft.encoded()
        let signer = try PinnedSigner(certificateDER: craft.identity.certificateDER)
        guard let refusal else {
            try MessageSignature.verify(cms, over: body, by: signer, forms: .any)
            return
        }
        #expect(throws: refusal) { try MessageSignature.verify(cms, over: body, by: signer, forms: .any) }
    }

    /// An unsigned attribute whose value nests so many elements; eight more are around it.
    private func nested(_ levels: Int) -> [UInt8] {
        var value: [UInt8] = []
        for _ in 0..<levels { value = CMSCraft.tlv(0x30, value) }
        return CMSCraft.tlv(0xa1, CMSCraft.attribute([6, 2, 0x2a, 3], [value]))
    }

    @Test func `twenty-four levels are read and one more is not`() throws {
        try check(nil) { $0.unsignedAttributes = nested(16) }
        try check(.tooDeep) { $0.unsignedAttributes = nested(17) }
    }

    @Test func `levels with lengths left open count as well`() throws {
        let signer = try PinnedSigner(certificateDER: Identity.rsa.certificateDER)
        let opening = Data([0x30, 0x80])
        for depth in [25, 8_000] {
            var cms = Data()
            for _ in 0..<depth { cms += opening }
            #expect(throws: SignatureRefusal.tooDeep) {
                try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
            }
        }
    }

    @Test func `more than 16 KiB is refused before it is read`() throws {
        let signer = try PinnedSigner(certificateDER: Identity.rsa.certificateDER)
        let large = Data([0x30, 0x80]) + Data(count: MessageSignature.sizeLimit)
        #expect(throws: SignatureRefusal.tooLarge) {
            try MessageSignature.verify(large, over: Self.body, by: signer, forms: .any)
        }
        #expect(throws: SignatureRefusal.tooLarge) { try MessageSignature.signerCertificates(in: large) }
    }

    @Test func `lists have bounds`() throws {
        try check(nil) { $0.signerCount = 4 }
        try check(.signerCount) { $0.signerCount = 5 }
        try check(.signerCount) { $0.signerCount = 0 }
        try check(nil) { $0.certificates = Array(repeating: $0.certificates[0], count: 8) }
        try check(.tooManyCertificates) { $0.certificates = Array(repeating: $0.certificates[0], count: 9) }
        try check(.tooManyCertificates) { $0.digestAlgorithms = Array(repeating: CMSCraft.sha256, count: 5) }
    }

    @Test func `what is signed is plain data, by the message and by its attributes`() throws {
        try check(.notSignedData) { $0.content = CMSCraft.signedData }
        try check(.attributes) {
            $0.attributes[0] = CMSCraft.attribute(CMSCraft.contentType, [CMSCraft.signedData])
        }
    }

    /// RFC 5652 §5.4: nothing tells a signature over attributes from one over a body that is the same octets.
    @Test func `the attributes of a message do not pass for a body without attributes`() throws {
        let identity = try Identity.rsa
        let draft = try MessageDraft(Self.body, certificateDER: identity.certificateDER, kind: .rsa)
        var craft = CMSCraft(identity, body: draft.toBeSigned)
        craft.omitsAttributes = true
        let cms = try craft.encoded()
        #expect(OpenSSLReference.accepts(cms, over: draft.toBeSigned))
        try check(.bodyOfAttributes, body: draft.toBeSigned) { $0.omitsAttributes = true }
    }
}
