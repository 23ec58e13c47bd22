import CryptographicMessages
import Foundation
import Testing

/// Every form of SignedData that OpenSSL reads is taken from a device.
///
/// Red for a reader that knows the strict form alone: Apple's devices, which write BER without signed attributes, were
/// refused.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct MessageSignatureFormTests {
    private static let body = Data("<plist/>\r\n\0binary\n".utf8)

    @Test(arguments: OpenSSLForms.all)
    func `each form is accepted in DER and BER, over its body alone`(
        _ algorithm: SigningKey.Algorithm, _ options: String
    ) throws {
        let (der, signer) = try OpenSSLForms.message(algorithm, options, over: Self.body)
        let certificates = try OpenSSLForms.certificates(beside: signer)
        let forms = try BERForm.allCases.map { try $0.rewriting(der, keeping: certificates) }
        for cms in [der] + forms {
            try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
            #expect(OpenSSLReference.accepts(cms, over: Self.body, by: signer.certificateDER))
            #expect(try MessageSignature.signerCertificates(in: cms).contains(signer.certificateDER))
            for other in [Self.body + [0], Self.body.dropLast(), Data()] {
                #expect(throws: SignatureRefusal.self) {
                    try MessageSignature.verify(cms, over: other, by: signer, forms: .any)
                }
            }
            #expect(throws: SignatureRefusal.self) {
                try MessageSignature.verify(cms + [0], over: Self.body, by: signer, forms: .any)
            }
        }
    }

    @Test func `a message that was streamed is accepted`() throws {
        let (cms, signer) = try OpenSSLForms.message(.rsa2048, "-md sha256 -nodetach -stream", over: Self.body)
        try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
    }

    @Test func `the time of a message in BER is read`() throws {
        let identity = try Identity.rsa
        let der = try MessageSignature.sign(
            Self.body, certificateDER: identity.certificateDER, key: identity.key, at: Identity.now)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        for form in BERForm.allCases {
            let cms = try form.rewriting(der, keeping: [identity.certificateDER])
            let verified = try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
            #expect(verified.signingTime == Identity.now)
        }
        let (silent, _) = try OpenSSLForms.message(.rsa2048, "-md sha256 -noattr", over: Self.body)
        #expect(try MessageSignature.verify(silent, over: Self.body, by: signer, forms: .any).signingTime == nil)
    }

    @Test func `of several signers each must have signed, and one must be the expected`() throws {
        let (cms, signer) = try OpenSSLForms.message(
            .p256, "-md sha256 -signer other.pem -inkey other.key", over: Self.body)
        let other = try PinnedSigner(certificateDER: Identity.otherRSA.certificateDER)
        for one in [signer, other] { try MessageSignature.verify(cms, over: Self.body, by: one, forms: .any) }
        let found = try MessageSignature.signerCertificates(in: cms)
        #expect(Set(found) == [signer.certificateDER, other.certificateDER])
        let stranger = try PinnedSigner(certificateDER: Identity.rsa.certificateDER)
        #expect(throws: SignatureRefusal.otherSigner) {
            try MessageSignature.verify(cms, over: Self.body, by: stranger, forms: .any)
        }
        var changed = cms
        changed[changed.count - 1] ^= 1
        for one in [signer, other] {
            #expect(throws: SignatureRefusal.signatureInvalid) {
                try MessageSignature.verify(changed, over: Self.body, by: one, forms: .any)
            }
        }
    }

    @Test func `included content must be the body`() throws {
        let (cms, signer) = try OpenSSLForms.message(.rsa2048, "-md sha256 -nodetach -noattr", over: Data("other".utf8))
        #expect(throws: SignatureRefusal.bodyDiffers) {
            try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
        }
    }

    @Test func `SHA-1 without attributes is taken by the legacy policy alone, and from no key on a curve`() throws {
        let (der, signer) = try OpenSSLForms.message(.rsa2048, "-md sha1 -noattr", over: Self.body)
        let cms = try BERForm.indefinite.rewriting(der, keeping: [signer.certificateDER])
        #expect(throws: SignatureRefusal.digestAlgorithm) {
            try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
        }
        #expect(
            try MessageSignature.verify(cms, over: Self.body, by: signer, policy: .legacy, forms: .any).usesSHA1)
        let (curve, device) = try OpenSSLForms.message(.p256, "-md sha1 -noattr", over: Self.body)
        #expect(throws: SignatureRefusal.signatureAlgorithm) {
            try MessageSignature.verify(curve, over: Self.body, by: device, policy: .legacy, forms: .any)
        }
    }

    @Test func `P-521 is taken from a device, and is not of the strict form`() throws {
        let tool = try OpenSSLTool()
        try tool.write(Self.body, "body")
        let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-521 -nodes -keyout key"
        try tool.run("req -x509 \(newKey) -out pem -subj /CN=device -days 9")
        try tool.run("x509 -in pem -outform DER -out der")
        let signer = try PinnedSigner(certificateDER: tool.read("der"))
        for options in ["", "-noattr"] {
            try tool.run(
                "cms -sign -binary -outform DER -in body -out cms -signer pem -inkey key -md sha512 \(options)")
            let cms = try tool.read("cms")
            try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any)
            #expect(throws: SignatureRefusal.self) { try MessageSignature.verify(cms, over: Self.body, by: signer) }
        }
    }

    @Test(arguments: [
        ("-md sha224 -noattr", SignatureRefusal.digestAlgorithm), ("-md sha256 -nocerts", .signerCertificateMissing),
        ("-md sha256 -signer small.pem -inkey small.key", .signerKey),
    ])
    func `what is refused in any form has its reason`(_ options: String, _ refusal: SignatureRefusal) throws {
        let tool = try OpenSSLTool()
        let identity = try Identity.rsa
        try tool.write(identity, "device")
        try tool.write(Self.body, "body")
        try tool.run("req -x509 -newkey rsa:1024 -nodes -keyout small.key -out small.pem -subj /CN=small -days 9")
        try tool.run(
            "cms -sign -binary -outform DER -in body -out cms -signer device.pem -inkey device.key \(options)")
        let cms = try tool.read("cms")
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        #expect(throws: refusal) { try MessageSignature.verify(cms, over: Self.body, by: signer, forms: .any) }
    }
}
