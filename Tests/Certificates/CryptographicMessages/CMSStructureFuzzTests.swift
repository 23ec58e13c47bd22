import CertificateAuthority
import CryptographicMessages
import Foundation
import TestInputs
import Testing

/// Signatures changed in their structure, lengths kept right: our strict reader takes nothing that OpenSSL refuses.
///
/// Being stricter is fine; taking more would make two readers of one message disagree about who said what.
struct CMSStructureFuzzTests {
    private static let body = Data("<plist><dict><key>UDID</key></dict></plist>".utf8)

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384], [UInt64(11), 12])
    func `a signature with changed parts is accepted only if OpenSSL accepts it from the same signer`(
        _ algorithm: SigningKey.Algorithm, _ seed: UInt64
    ) throws {
        let identity = try Identity.of(algorithm)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let tree = try DERTree(
            MessageSignature.sign(Self.body, certificateDER: identity.certificateDER, key: identity.key))
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            var changed = tree
            changed.mutate(using: &random)
            try Self.compare(Data(changed.encoded), signer)
        }
    }

    /// What a hostile device can do: sign whatever it likes, with its own key.
    @Test(arguments: [UInt64(13), 14])
    func `changed parts that are truly signed are accepted only if OpenSSL accepts them`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let attributes = [
            CMSCraft.attribute(CMSCraft.signingTime, [CMSCraft.time]),
            CMSCraft.attribute([6, 2, 0x2a, 3], [[1, 1, 0xff], [2, 2, 1, 1], [6, 1, 0x2a], [0x30, 3, 2, 1, 5]]),
            CMSCraft.attribute([6, 2, 0x2a, 5], [[5, 0], [12, 1, 65], [19, 1, 65], [22, 1, 65]]),
            CMSCraft.attribute([6, 2, 0x2a, 6], [[3, 2, 0, 1]]),
        ]
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        var accepted = 0
        // Each one costs a signature.
        for _ in 0..<Mutation.iterations / 10 {
            var craft = CMSCraft(identity, body: Self.body)
            craft.attributes += attributes.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<craft.attributes.count, using: &random)
                craft.attributes[place] = Self.changed(craft.attributes[place], &random)
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: craft.signerDigest = Self.changed(craft.signerDigest, &random)
            case 1: craft.digestAlgorithms[0] = Self.changed(craft.digestAlgorithms[0], &random)
            case 2: craft.signatureAlgorithm = Self.changed(craft.signatureAlgorithm, &random)
            case 3: craft.version = Self.changed(craft.version, &random)
            default: break
            }
            if try Self.compare(craft.encoded(), signer) { accepted += 1 }
        }
        #expect(accepted > Mutation.iterations / 1_000, "too few mutations survive to prove anything")
    }

    /// The certificates beside the signer's are not signed over: anybody on the way can change them.
    @Test(arguments: [UInt64(15), 16])
    func `a changed certificate beside the signer's is accepted only if OpenSSL accepts it`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let other = try DERTree(Identity.authority.get().certificateDER)
        var craft = CMSCraft(identity, body: Self.body)
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations / 10 {
            var changed = other
            changed.mutate(using: &random)
            craft.certificates = [[UInt8](identity.certificateDER), changed.encoded].shuffled(using: &random)
            try Self.compare(craft.encoded(), signer)
        }
    }

    @discardableResult
    private static func compare(_ cms: Data, _ signer: PinnedSigner) throws -> Bool {
        guard (try? MessageSignature.verify(cms, over: body, by: signer)) != nil else { return false }
        #expect(try MessageSignature.signerCertificate(in: cms) == signer.certificateDER)
        #expect(
            OpenSSLReference.accepts(cms, over: body, by: signer.certificateDER),
            "accepted: \(cms.base64EncodedString())")
        return true
    }

    private static func changed(_ part: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        // What an earlier change left unreadable stays as it is.
        guard var tree = try? DERTree(part) else { return part }
        tree.mutate(using: &random)
        return tree.encoded
    }
}
