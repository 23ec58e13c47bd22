import CertificateAuthority
import CryptographicMessages
import Foundation
import Testing

/// Signatures made and judged by the `openssl` command.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct MessageSignatureInteroperationTests {
    private let body = Data("<plist/>\r\n\0binary\n".utf8)

    private func signed(
        by algorithm: SigningKey.Algorithm = .rsa2048, _ options: String
    ) throws -> (cms: Data, signer: PinnedSigner) {
        try OpenSSLForms.message(algorithm, options, over: body, capabilities: true)
    }

    @Test(arguments: [
        (SigningKey.Algorithm.rsa2048, "-md sha256"), (.rsa2048, "-md sha512"), (.p256, "-md sha256"),
        (.p256, "-md sha384"), (.p256, "-md sha512"), (.p384, "-md sha384"), (.rsa2048, "-md sha256 -nosmimecap"),
        (.rsa2048, "-md sha256 -certfile other.pem"),
    ])
    func `what openssl signs is accepted`(_ algorithm: SigningKey.Algorithm, _ options: String) throws {
        let (cms, signer) = try signed(by: algorithm, options)
        try MessageSignature.verify(cms, over: body, by: signer)
        #expect(try MessageSignature.signerCertificate(in: cms) == signer.certificateDER)
        #expect(throws: SignatureRefusal.bodyDiffers) {
            try MessageSignature.verify(cms, over: body + [0], by: signer)
        }
    }

    @Test(arguments: [
        ("-md sha256 -noattr", SignatureRefusal.attributesMissing), ("-md sha1", .digestAlgorithm),
        ("-md sha224", .digestAlgorithm), ("-md sha256 -keyid", .notDetachedSignedData),
        ("-md sha256 -nodetach", .notDetachedSignedData), ("-md sha256 -nocerts", .signerCertificateMissing),
        ("-md sha256 -nodetach -stream", .malformed), ("-md sha256 -keyopt rsa_padding_mode:pss", .malformed),
        ("-md sha256 -signer other.pem -inkey other.key", .notExactlyOneSigner),
    ])
    func `another shape from openssl is refused`(_ options: String, _ refusal: SignatureRefusal) throws {
        let (cms, signer) = try signed(options)
        #expect(throws: refusal) { try MessageSignature.verify(cms, over: body, by: signer) }
    }

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384])
    func `openssl accepts what we sign, up to our authority`(_ algorithm: SigningKey.Algorithm) throws {
        let tool = try OpenSSLTool()
        let identity = try Identity.of(algorithm)
        let cms = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        try tool.write(cms, "cms")
        try tool.write(body, "body")
        try tool.write(Identity.authority.get().certificatePEM, "ca.pem")
        let time = Int(Identity.now.timeIntervalSince1970)
        let verify = "cms -verify -binary -inform DER -in cms -content body -CAfile ca.pem -purpose any -attime \(time)"
        try tool.run(verify + " -out copy")
        #expect(try tool.read("copy") == body)
        try tool.write(body + [1], "body")
        #expect(throws: OpenSSLTool.Failure.self) { try tool.run(verify) }
    }
}
