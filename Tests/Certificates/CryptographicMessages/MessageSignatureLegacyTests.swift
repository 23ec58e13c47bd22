import CryptographicMessages
import Foundation
import Testing

/// SHA-1, which a message may be signed with only where the caller lets it.
@Suite(.enabled(if: OpenSSLTool.isThere)) struct MessageSignatureLegacyTests {
    private static let body = Data("a message".utf8)

    private func signature(
        _ algorithm: SigningKey.Algorithm, _ digest: String
    ) throws -> (cms: Data, signer: PinnedSigner) {
        let tool = try OpenSSLTool()
        let identity = try Identity.of(algorithm)
        try tool.write(identity, "device")
        try tool.write(Self.body, "body")
        try tool.run(
            "cms -sign -binary -outform DER -in body -out cms -signer device.pem -inkey device.key -md \(digest)")
        return (try tool.read("cms"), try PinnedSigner(certificateDER: identity.certificateDER))
    }

    @Test func `SHA-1 is taken by the legacy policy alone`() throws {
        let (cms, signer) = try signature(.rsa2048, "sha1")
        let verified = try MessageSignature.verify(cms, over: Self.body, by: signer, policy: .legacy)
        #expect(verified.usesSHA1)
        #expect(throws: SignatureRefusal.digestAlgorithm) {
            try MessageSignature.verify(cms, over: Self.body, by: signer)
        }
        #expect(throws: SignatureRefusal.bodyDiffers) {
            try MessageSignature.verify(cms, over: Self.body + [0], by: signer, policy: .legacy)
        }
        var changed = cms
        changed[changed.count - 1] ^= 1
        #expect(throws: SignatureRefusal.signatureInvalid) {
            try MessageSignature.verify(changed, over: Self.body, by: signer, policy: .legacy)
        }
    }

    @Test func `SHA-1 is not taken from a key on a curve`() throws {
        let (cms, signer) = try signature(.p256, "sha1")
        #expect(throws: SignatureRefusal.signatureAlgorithm) {
            try MessageSignature.verify(cms, over: Self.body, by: signer, policy: .legacy)
        }
    }

    @Test func `the legacy policy takes SHA-256 as ever`() throws {
        let (cms, signer) = try signature(.rsa2048, "sha256")
        let verified = try MessageSignature.verify(cms, over: Self.body, by: signer, policy: .legacy)
        #expect(!verified.usesSHA1)
    }
}
