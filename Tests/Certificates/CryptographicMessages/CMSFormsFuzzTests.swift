import CryptographicMessages
import Foundation
import TestInputs
import Testing

/// Changed signatures of every form: what OpenSSL refuses is refused, and what it accepts is accepted or refused by a
/// rule with a name.
struct CMSFormsFuzzTests {
    /// As the deviations have it.
    private static let body = Data("body".utf8)
    private static var rounds: Int { Mutation.iterations / 5 }

    private struct Message {
        /// Strict DER, so that it can be taken apart.
        let der: Data
        let signer: PinnedSigner
    }

    /// Rules of ours on top of OpenSSL's.
    private static let rules: Set<SignatureRefusal> = [
        .tooLarge, .tooDeep, .notSignedData, .signerCount, .signerKey, .tooManyCertificates, .digestAlgorithm,
        .signatureAlgorithm, .attributes, .bodyDiffers,
    ]

    @Test(arguments: [UInt64(21), 22])
    func `octets of BER are changed`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        let messages = try Self.messages()
        for round in 0..<Self.rounds {
            let message = messages[round % messages.count]
            let kept = try OpenSSLForms.certificates(beside: message.signer)
            let form = BERForm.allCases[round / messages.count % BERForm.allCases.count]
            let cms = try form.rewriting(message.der, keeping: kept)
            Self.compare(Mutation.mutateDER(cms, using: &random), message.signer)
        }
    }

    @Test(arguments: [UInt64(23), 24])
    func `elements are changed, moved and written with other lengths`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        let messages = try Self.messages()
        var accepted = 0
        for round in 0..<Self.rounds {
            let message = messages[round % messages.count]
            var tree = try DERTree(message.der)
            tree.mutate(using: &random)
            if Self.compare(Data(tree.encoded), message.signer) { accepted += 1 }
        }
        #expect(accepted > Self.rounds / 200, "too few mutations survive to prove anything")
    }

    /// The deviations from the strict form, each truly signed.
    @Test(arguments: MessageSignatureShapeTests.deviations)
    func `a deviation from the strict form is judged as OpenSSL does`(
        _ deviation: MessageSignatureShapeTests.Deviation
    ) throws {
        var craft = CMSCraft(try Identity.rsa, body: Self.body)
        deviation.change(&craft)
        Self.compare(try craft.encoded(), try PinnedSigner(certificateDER: craft.identity.certificateDER))
    }

    @discardableResult
    private static func compare(_ cms: Data, _ signer: PinnedSigner) -> Bool {
        let reference = OpenSSLReference.accepts(cms, over: body, by: signer.certificateDER)
        do throws(SignatureRefusal) {
            try MessageSignature.verify(cms, over: body, by: signer, forms: .any)
        } catch {
            #expect(!reference || rules.contains(error), "\(error): \(cms.base64EncodedString())")
            return false
        }
        #expect(reference, "accepted: \(cms.base64EncodedString())")
        return true
    }

    /// One of each form.
    private static func messages() throws -> [Message] {
        var found: [Message] = []
        for change in changes {
            var craft = CMSCraft(try Identity.rsa, body: body)
            change(&craft)
            found.append(
                Message(
                    der: try craft.encoded(),
                    signer: try PinnedSigner(certificateDER: craft.identity.certificateDER)))
        }
        guard OpenSSLTool.isThere else { return found }
        for (algorithm, options) in OpenSSLForms.all {
            let (cms, signer) = try OpenSSLForms.message(algorithm, options, over: body)
            found.append(Message(der: cms, signer: signer))
        }
        return found
    }

    private static let changes: [@Sendable (inout CMSCraft) -> Void] = [
        { $0.omitsAttributes = true },
        {
            $0.omitsAttributes = true
            $0.content = CMSCraft.data + CMSCraft.tlv(0xa0, CMSCraft.tlv(4, [UInt8]($0.body)))
        },
        { $0.unsignedAttributes = CMSCraft.tlv(0xa1, CMSCraft.attribute([6, 2, 0x2a, 3], [[4, 1, 7]])) },
        { $0.signerCount = 2 },
    ]
}
