import ClientOfSecurity
import Crypto
import CryptoExtras
import Foundation
import ManagedApp
import ManagedAppSecurity
import PlayedAgent
import SwiftASN1
import Testing
import X509

/// A signature is valid for its key, its message and its algorithm, and for nothing else.
@Suite(.timeLimit(.minutes(10)))
struct SignatureVerificationTests {
    private let authority: TestAuthority
    private let message = Data("message".utf8)

    init() throws {
        authority = try TestAuthority("Organization")
    }

    private func certificate(_ key: Certificate.PublicKey) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, try authority.issue("signer", for: key).der()))
    }

    private func code(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ message: Data, _ signature: Data
    ) -> Int? {
        var error: Unmanaged<CFError>?
        let valid = unsafe SecKeyVerifySignature(key, algorithm, message, signature, &error)
        let code = unsafe error?.takeRetainedValue().code
        #expect(valid == (code == nil))
        return code
    }

    @Test func eachCurveVerifiesItsOwnSignatures() throws {
        let (p256, p384, p521) = (
            P256.Signing.PrivateKey(), P384.Signing.PrivateKey(), P521.Signing.PrivateKey()
        )
        let signed: [(SecCertificate, SecKeyAlgorithm, Data)] = [
            (
                try certificate(.init(p256.publicKey)), .ecdsaSignatureMessageX962SHA256,
                try p256.signature(for: SHA256.hash(data: message)).derRepresentation
            ),
            (
                try certificate(.init(p256.publicKey)), .ecdsaSignatureMessageX962SHA512,
                try p256.signature(for: SHA512.hash(data: message)).derRepresentation
            ),
            (
                try certificate(.init(p384.publicKey)), .ecdsaSignatureMessageX962SHA384,
                try p384.signature(for: SHA384.hash(data: message)).derRepresentation
            ),
            (
                try certificate(.init(p521.publicKey)), .ecdsaSignatureMessageX962SHA512,
                try p521.signature(for: SHA512.hash(data: message)).derRepresentation
            ),
        ]
        for (certificate, algorithm, signature) in signed {
            #expect(try isSigned(message, by: certificate, signature, algorithm))
            let key = try #require(SecCertificateCopyKey(certificate))
            try refusesAllElse(key, algorithm, signature)
        }
    }

    @Test func rsaVerifiesInBothPaddings() throws {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let certificate = try certificate(.init(rsa.publicKey))
        let key = try #require(SecCertificateCopyKey(certificate))
        let digest = SHA256.hash(data: message)
        let signed: [(SecKeyAlgorithm, Data)] = [
            (
                .rsaSignatureMessagePKCS1v15SHA256,
                try rsa.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
            ),
            (.rsaSignatureMessagePSSSHA256, try rsa.signature(for: digest, padding: .PSS).rawRepresentation),
        ]
        for (algorithm, signature) in signed {
            #expect(try isSigned(message, by: certificate, signature, algorithm))
            try refusesAllElse(key, algorithm, signature)
        }
        #expect(code(key, .rsaSignatureMessagePSSSHA256, message, signed[0].1) == Int(errSecVerifyFailed))
        #expect(code(key, .rsaSignatureMessagePKCS1v15SHA384, message, signed[0].1) == Int(errSecVerifyFailed))
    }

    private func refusesAllElse(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signature: Data) throws {
        var changed = signature
        changed[changed.count / 2] ^= 1
        for wrong in [changed, signature.dropLast(), signature + [0], Data(), Data(count: 65_536)] {
            #expect(code(key, algorithm, message, wrong) == Int(errSecVerifyFailed))
        }
        #expect(code(key, algorithm, message + [0], signature) == Int(errSecVerifyFailed))
        // A slice has its own indices.
        #expect(code(key, algorithm, message, (Data([1, 2, 3]) + signature).dropFirst(3)) == nil)
        let another = try #require(
            SecCertificateCopyKey(try certificate(.init(P256.Signing.PrivateKey().publicKey))))
        #expect(code(another, algorithm, message, signature) != nil)
    }

    /// What `SecKeyIsAlgorithmSupported` denies is not verified: digests, algorithms of other keys, handles.
    @Test func whatIsNotSupportedIsNotVerified() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        let identity = try PlayedIdentity("device-1", by: authority)
        agent.change { $0.identities["i"] = identity }
        let found = try await ManagedAppIdentitiesProvider(link: agent.link()).identity(withIdentifier: "i")
        let signature = try await found.privateKey.signature(for: message, algorithm: .ecdsaSignatureMessageX962SHA256)
        let key = try #require(SecKeyCopyPublicKey(found.privateKey))
        #expect(code(key, .ecdsaSignatureMessageX962SHA256, message, signature) == nil)
        let denied: [(SecKey, SecKeyAlgorithm)] = [
            (key, .ecdsaSignatureDigestX962SHA256), (key, .rsaSignatureMessagePSSSHA256),
            (key, SecKeyAlgorithm(rawValue: "ecdsa-md5-message")),
            (found.privateKey, .ecdsaSignatureMessageX962SHA256),
        ]
        for (key, algorithm) in denied {
            #expect(!SecKeyIsAlgorithmSupported(key, .verify, algorithm))
            #expect(code(key, algorithm, message, signature) == Int(errSecUnimplemented))
        }
    }
}
