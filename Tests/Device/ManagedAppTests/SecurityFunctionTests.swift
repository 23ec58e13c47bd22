import AppMessages
import Crypto
import CryptoExtras
import Foundation
import ManagedApp
import PlayedAgent
import SwiftASN1
import Testing
import X509

/// The functions of Apple's Security framework, over a key that only the agent has.
@Suite(.timeLimit(.minutes(10)))
struct SecurityFunctionTests {
    private let authority: TestAuthority
    private let agent: PlayedAgent
    private let link: AgentLink

    init() throws {
        authority = try TestAuthority("Organization")
        agent = try PlayedAgent()
        try agent.start()
        link = agent.link()
    }

    private func identity(_ key: PlayedIdentity.Key = .p256(.init())) async throws -> SecIdentity {
        let identity = try PlayedIdentity("device-1", by: authority, key: key, hardwareBound: true)
        agent.change { $0.identities["i"] = identity }
        return try await ManagedAppIdentitiesProvider(link: link).identity(withIdentifier: "i")
    }

    /// S4-API-03: the identity signs what its certificate verifies.
    @Test func anEllipticIdentitySignsWhatItsCertificateVerifies() async throws {
        let identity = try await identity()
        let message = Data("message".utf8)
        var error: Unmanaged<CFError>?
        let made = unsafe SecKeyCreateSignature(
            identity.privateKey, .ecdsaSignatureMessageX962SHA256, message, &error)
        let signature = try #require(made)
        let certificate = try Certificate(derEncoded: [UInt8](identity.certificateChain[0].derRepresentation))
        let key = try #require(P256.Signing.PublicKey(certificate.publicKey))
        #expect(key.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: signature), for: message))
        #expect(identity.privateKey.isHardwareBound && identity.privateKey.isAttested)
        let again = try await identity.privateKey.signature(for: message, algorithm: .ecdsaSignatureMessageX962SHA256)
        #expect(key.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: again), for: message))
    }

    /// S4-API-03: with RSA, in both paddings.
    @Test func anRSAIdentitySignsWhatItsCertificateVerifies() async throws {
        let identity = try await identity(.rsa(.init(keySize: .bits2048)))
        let certificate = try Certificate(derEncoded: [UInt8](identity.certificateChain[0].derRepresentation))
        let key = try #require(_RSA.Signing.PublicKey(certificate.publicKey))
        let message = Data("message".utf8)
        let algorithms: [(SecKeyAlgorithm, _RSA.Signing.Padding)] = [
            (.rsaSignatureMessagePKCS1v15SHA256, .insecurePKCS1v1_5), (.rsaSignatureMessagePSSSHA256, .PSS),
        ]
        for (algorithm, padding) in algorithms {
            let signature = try await identity.privateKey.signature(for: message, algorithm: algorithm)
            let bare = _RSA.Signing.RSASignature(rawRepresentation: signature)
            #expect(key.isValidSignature(bare, for: SHA256.hash(data: message), padding: padding))
        }
    }

    /// An algorithm is supported where the key can sign with it, and refused without asking the agent otherwise.
    @Test func aKeyKnowsWhatItCanDo() async throws {
        let key = try await identity().privateKey
        #expect(SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA384))
        #expect(SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureDigestX962SHA256))
        #expect(!SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePKCS1v15SHA256))
        #expect(!SecKeyIsAlgorithmSupported(key, .sign, SecKeyAlgorithm(rawValue: "rsa-md5")))
        #expect(!SecKeyIsAlgorithmSupported(key, .decrypt, .ecdsaSignatureMessageX962SHA256))
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .sign, .ecdsaSignatureMessageX962SHA256))
        #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, .ecdsaSignatureMessageX962SHA256))
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .verify, .ecdsaSignatureDigestX962SHA256))
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .verify, .rsaSignatureMessagePSSSHA256))
        #expect(!SecKeyIsAlgorithmSupported(key, .verify, .ecdsaSignatureMessageX962SHA256))
        let asked = agent.calls.count
        #expect(signing(key, .rsaSignatureMessagePSSSHA256, Data()) == Int(errSecUnimplemented))
        #expect(signing(publicKey, .ecdsaSignatureMessageX962SHA256, Data()) == Int(errSecUnimplemented))
        #expect(signing(key, .ecdsaSignatureDigestX962SHA256, Data(count: 31)) == Int(errSecParam))
        #expect(signing(key, .ecdsaSignatureMessageX962SHA256, Data(count: 65_537)) == Int(errSecParam))
        #expect(agent.calls.count == asked)
        #expect(signing(key, .ecdsaSignatureMessageX962SHA256, Data(count: 65_536)) == nil)
    }

    // The code of the error with which signing fails; nil when it succeeds.
    private func signing(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: Data) -> Int? {
        var error: Unmanaged<CFError>?
        let signature = unsafe SecKeyCreateSignature(key, algorithm, data, &error)
        let code = unsafe error?.takeRetainedValue().code
        #expect((signature == nil) == (code != nil))
        return code
    }

    /// S4-BP-03: a handle dies with its key: renewed or withdrawn, it signs no more.
    @Test func aHandleSignsWithItsOwnKeyOnly() async throws {
        let former = try await identity().privateKey
        let present = try await identity().privateKey
        #expect(former != present)
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        #expect(signing(former, algorithm, Data()) == Int(errSecItemNotFound))
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await former.signature(for: Data(), algorithm: algorithm)
        }
        #expect(signing(present, algorithm, Data()) == nil)
        agent.change { $0.identities = [:] }
        #expect(signing(present, algorithm, Data()) == Int(errSecItemNotFound))
        agent.stop()
        #expect(signing(present, algorithm, Data()) == Int(errSecInternalComponent))
    }

    /// S4-LIC-06 (the app's half): a private key cannot be exported, a public one can.
    @Test func onlyThePublicKeyCanBeExported() async throws {
        let software = P384.Signing.PrivateKey()
        let key = try await identity(.p384(software)).privateKey
        var error: Unmanaged<CFError>?
        let bytes = unsafe SecKeyCopyExternalRepresentation(key, &error)
        #expect(bytes == nil)
        let code = unsafe error?.takeRetainedValue().code
        #expect(code == Int(errSecDataNotAvailable))
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let exported = SecKeyCopyExternalRepresentation(publicKey, nil)
        #expect(exported == software.publicKey.x963Representation)
    }

    /// S4-API-03: a certificate keeps its bytes and knows its subject; cut off anywhere, it is none.
    @Test func aCertificateIsItsBytesAndNoneWithoutAnyOfThem() throws {
        let der = try authority.der()
        let certificate = try #require(SecCertificateCreateWithData(nil, der))
        #expect(SecCertificateCopyData(certificate) == der)
        #expect(SecCertificateCopySubjectSummary(certificate) == "Organization")
        var name: CFString?
        let named = unsafe SecCertificateCopyCommonName(certificate, &name)
        #expect(named == errSecSuccess && name == "Organization")
        #expect(SecCertificateCopyKey(certificate) != nil)
        for length in 0..<der.count {
            #expect(SecCertificateCreateWithData(nil, der.prefix(length)) == nil)
        }
        #expect(SecCertificateCreateWithData(nil, der + [0]) == nil)
        // A slice has its own indices.
        #expect(SecCertificateCreateWithData(nil, (Data([1, 2, 3]) + der).dropFirst(3)) == certificate)
    }

    /// S4-LIC-06: the functions show only the agent's values, and a chain with other data in it is no identity.
    @Test func anIdentityWithABrokenChainIsNone() async throws {
        let good = try PlayedIdentity("device-1", by: authority)
        let broken = IdentityReply(
            certificates: good.reply.certificates + [Data("garbage".utf8)], keyType: .ec, keySize: 256, reference: "r")
        agent.change { $0.identities["i"] = good.replying(broken) }
        await #expect(throws: ManagedAppError.internalError) {
            try await ManagedAppIdentitiesProvider(link: link).identity(withIdentifier: "i")
        }
    }
}
