import AppMessages
import Crypto
import CryptoExtras
import CryptographicMessages
import DeviceAgent
import Foundation
import Signatures
import Testing

/// Values of secrets, and signatures by keys that stay here.
struct SecretContentTests {
    private static let message = Data("to be signed".utf8)

    private func hashed(_ digest: SignatureAlgorithm.Hash) -> Data {
        switch digest {
        case .sha256: Data(SHA256.hash(data: Self.message))
        case .sha384: Data(SHA384.hash(data: Self.message))
        case .sha512: Data(SHA512.hash(data: Self.message))
        }
    }

    private func identity(_ algorithm: SigningKey.Algorithm) throws -> (StoredIdentity, SigningKey) {
        let key = try SigningKey.generate(algorithm)
        return (StoredIdentity(certificates: [Data([48, 0])], key: SoftwareKeys.stored(key)), key)
    }

    @Test func everyKindOfValueIsReadAsItWasWritten() throws {
        for content in [
            SecretContent.password(""), .password("p\u{0}ü\u{1F511}"), .certificate(Data(0...255)),
            .identity(try identity(.p256).0),
        ] {
            #expect(try SecretContent(parsing: content.encoded()) == content)
        }
        for torn in [Data(), Data([0]), Data("i{}".utf8), Data([UInt8(ascii: "p"), 0xFF])] {
            #expect(throws: StoreRefusal.torn) { try SecretContent(parsing: torn) }
        }
    }

    /// D5: secrets never appear in logs; one that is printed by accident shows its kind.
    @Test func nothingPrintsTheValue() throws {
        let secret = SecretContent.password("planted")
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret])] {
            #expect(!text.contains("planted"))
        }
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("planted"))
    }

    @Test func wipedBytesAreGone() {
        let bytes = Data(repeating: 7, count: 64)
        let other = bytes
        bytes.wipe()
        #expect(other == Data(count: 64), "whoever shares them")
    }

    /// D6: ECDSA over a message and over its digest, checked by another implementation.
    @Test(arguments: SignatureAlgorithm.Hash.allCases)
    func anECDSASignatureVerifies(digest: SignatureAlgorithm.Hash) throws {
        let (identity, key) = try identity(.p384)
        guard case .p384(let own) = key else { return #expect(Bool(false)) }
        for input in SignatureAlgorithm.Input.allCases {
            let algorithm = SignatureAlgorithm(.ecdsa, digest, over: input)
            let data = input == .message ? Self.message : hashed(digest)
            let signature = try P384.Signing.ECDSASignature(
                derRepresentation: SoftwareKeys().sign(data, algorithm, with: identity.key))
            let isValid =
                switch digest {
                case .sha256: own.publicKey.isValidSignature(signature, for: SHA256.hash(data: Self.message))
                case .sha384: own.publicKey.isValidSignature(signature, for: SHA384.hash(data: Self.message))
                case .sha512: own.publicKey.isValidSignature(signature, for: SHA512.hash(data: Self.message))
                }
            #expect(isValid, "\(algorithm.name)")
        }
    }

    @Test(
        arguments: [SignatureAlgorithm.Scheme.rsaPKCS1, .rsaPSS],
        SignatureAlgorithm.Hash.allCases)
    func anRSASignatureVerifies(
        scheme: SignatureAlgorithm.Scheme, digest: SignatureAlgorithm.Hash
    ) throws {
        let (identity, key) = try identity(.rsa2048)
        guard case .rsa(let own) = key else { return #expect(Bool(false)) }
        for input in SignatureAlgorithm.Input.allCases {
            let algorithm = SignatureAlgorithm(scheme, digest, over: input)
            let signature = try SoftwareKeys().sign(
                input == .message ? Self.message : hashed(digest), algorithm, with: identity.key)
            #expect(RSAVerification.isValid(signature, of: Self.message, scheme, digest, own.publicKey))
        }
    }

    @Test func aKeyOfTheOtherKindDoesNotSign() throws {
        let (elliptic, _) = try identity(.p256)
        #expect(throws: SigningRefusal.algorithm) {
            try SoftwareKeys().sign(
                Self.message, SignatureAlgorithm(.rsaPSS, .sha256, over: .message), with: elliptic.key)
        }
        let broken = StoredKey(keeper: "software", type: .ec, size: 256, material: Data([1]))
        #expect(throws: SigningRefusal.key) {
            try SoftwareKeys().sign(
                Self.message, SignatureAlgorithm(.ecdsa, .sha256, over: .message), with: broken)
        }
    }

    @Test func aReferenceNamesOneCertificate() {
        let key = StoredKey(keeper: "software", type: .ec, size: 256, material: Data())
        let one = StoredIdentity(certificates: [Data([1])], key: key)
        #expect(one.reference == StoredIdentity(certificates: [Data([1]), Data([2])], key: key).reference)
        #expect(one.reference != StoredIdentity(certificates: [Data([2])], key: key).reference)
    }
}
