import CryptographicMessages
import Foundation
import TestInputs
import Testing

/// Changed signatures: no crash, nothing altered accepted, never more than OpenSSL accepts.
struct CMSFuzzTests {
    private static let body = Data(String(repeating: "<key>UDID</key>", count: 20).utf8)

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384], [UInt64(1), 2])
    func `a changed signature is accepted only if OpenSSL accepts it`(
        _ algorithm: SigningKey.Algorithm, _ seed: UInt64
    ) throws {
        let identity = try Identity.of(algorithm)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let signature = try MessageSignature.sign(Self.body, certificateDER: identity.certificateDER, key: identity.key)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(signature, using: &generator)
            _ = try? MessageSignature.signerCertificate(in: changed)
            do {
                try MessageSignature.verify(changed, over: Self.body, by: signer)
            } catch {
                continue
            }
            #expect(OpenSSLReference.accepts(changed, over: Self.body), "accepted: \(changed.base64EncodedString())")
        }
    }

    @Test(arguments: [UInt64(3), 4])
    func `a changed body is never accepted`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let signature = try MessageSignature.sign(Self.body, certificateDER: identity.certificateDER, key: identity.key)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(Self.body, using: &generator)
            let carrier = Bool.random(using: &generator) ? signature : Mutation.mutateDER(signature, using: &generator)
            guard changed != Self.body else { continue }
            #expect(throws: SignatureRefusal.self) {
                try MessageSignature.verify(carrier, over: changed, by: signer)
            }
        }
    }

    @Test(arguments: [UInt64(5), 6])
    func `changed attributes that are truly signed are accepted only if OpenSSL accepts them`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        // Each one costs a signature.
        for _ in 0..<Mutation.iterations / 10 {
            var craft = CMSCraft(identity, body: Self.body)
            craft.attributes.append(CMSCraft.attribute(CMSCraft.signingTime, [CMSCraft.time]))
            craft.attributes.append(
                CMSCraft.attribute([6, 3, 0x2a, 0x83, 3], [[2, 2, 1, 1], [5, 0], [6, 1, 0x2a], [0x30, 2, 5, 0]]))
            craft.attributes.append(CMSCraft.attribute([6, 2, 0x2a, 5], [[2, 2, 1, 1], [4, 1, 9], [12, 1, 65]]))
            let place = Int.random(in: 0..<craft.attributes.count, using: &generator)
            craft.attributes[place] = [UInt8](Mutation.mutateDER(Data(craft.attributes[place]), using: &generator))
            let cms = try craft.encoded()
            guard (try? MessageSignature.verify(cms, over: Self.body, by: signer)) != nil else { continue }
            #expect(OpenSSLReference.accepts(cms, over: Self.body), "accepted: \(cms.base64EncodedString())")
        }
    }
}
