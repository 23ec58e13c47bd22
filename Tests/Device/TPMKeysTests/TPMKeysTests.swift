import Crypto
import CryptoExtras
import CryptographicMessages
import Foundation
import Signatures
import SoftwareTPM
import TPMKeys
import Testing

/// Keys in a real TPM implementation (S4-DATA-07).
@Suite(.enabled(if: SoftwareTPM.isThere))
struct TPMKeysTests {
    private static let message = Data("sign this".utf8)
    private static let digest = Data(SHA256.hash(data: message))

    @Test func `a signature of a key on a curve verifies`() async throws {
        let chip = try SoftwareTPM()
        let tpm = chip.connect()
        let key = try await tpm.createKey(.p256)
        let signature = try await tpm.sign(Self.digest, with: key, .ecdsa, .sha256)
        let publicKey = try P256.Signing.PublicKey(derRepresentation: try #require(key.publicKeyInfo))
        let parsed = try P256.Signing.ECDSASignature(derRepresentation: signature)
        #expect(publicKey.isValidSignature(parsed, for: Self.message))
        #expect(!publicKey.isValidSignature(parsed, for: Data("something else".utf8)))
        await #expect(throws: TPMFailure.algorithm) {
            try await tpm.sign(Self.message, with: key, .ecdsa, .sha256)
        }
    }

    @Test func `signatures of an RSA key verify in both paddings`() async throws {
        let chip = try SoftwareTPM()
        let tpm = chip.connect()
        let key = try await tpm.createKey(.rsa2048)
        let publicKey = try _RSA.Signing.PublicKey(derRepresentation: try #require(key.publicKeyInfo))
        let old = try await tpm.sign(Self.digest, with: key, .rsaPKCS1, .sha256)
        #expect(
            publicKey.isValidSignature(
                .init(rawRepresentation: old), for: SHA256.hash(data: Self.message), padding: .insecurePKCS1v1_5))
        let new = try await tpm.sign(Self.digest, with: key, .rsaPSS, .sha256)
        #expect(
            publicKey.isValidSignature(
                .init(rawRepresentation: new), for: SHA256.hash(data: Self.message), padding: .PSS))
    }

    @Test func `what one chip keeps is of no use to another`() async throws {
        let chip = try SoftwareTPM()
        let other = try SoftwareTPM()
        let tpm = chip.connect()
        let key = try await tpm.createKey(.p256)
        let sealed = try await tpm.seal(Data("secret".utf8))
        #expect(try await tpm.unseal(sealed) == Data("secret".utf8))
        let stranger = other.connect()
        await #expect(throws: TPMFailure.self) { try await stranger.sign(Self.digest, with: key, .ecdsa, .sha256) }
        await #expect(throws: TPMFailure.self) { try await stranger.unseal(sealed) }
        var damaged = sealed.privateArea
        damaged[damaged.count - 1] ^= 1
        await #expect(throws: TPMFailure.self) {
            try await tpm.unseal(TPMKeyBlob(publicArea: sealed.publicArea, privateArea: damaged))
        }
    }

    @Test func `with the chip stopped nothing signs, and with it back the same key does`() async throws {
        let chip = try SoftwareTPM()
        let tpm = chip.connect()
        let key = try await tpm.createKey(.p256)
        chip.stop()
        for _ in 0..<2 {
            await #expect(throws: TPMFailure.self) { try await tpm.sign(Self.digest, with: key, .ecdsa, .sha256) }
        }
        try chip.start()
        let signature = try await tpm.sign(Self.digest, with: key, .ecdsa, .sha256)
        let publicKey = try P256.Signing.PublicKey(derRepresentation: try #require(key.publicKeyInfo))
        #expect(publicKey.isValidSignature(try .init(derRepresentation: signature), for: Self.message))
    }

    @Test func `nobody waits for a chip that stands still longer than agreed`() async throws {
        let chip = try SoftwareTPM()
        let key = try await chip.connect().createKey(.p256)
        // Another connection, as the first may still hold the chip.
        let tpm = chip.connect(timeout: .milliseconds(500))
        try chip.freeze()
        // Without an agreement it would be a minute. A busy machine may take as long once, but not each time.
        var taken: [Duration] = []
        for _ in 0..<3 where taken.allSatisfy({ $0 >= .seconds(55) }) {
            let began = ContinuousClock.now
            await #expect(throws: TPMFailure.timeout) { try await tpm.sign(Self.digest, with: key, .ecdsa, .sha256) }
            taken.append(ContinuousClock.now - began)
        }
        #expect(taken.contains { $0 < .seconds(55) }, "\(taken)")
    }

    @Test func `a counter only rises, over restarts too`() async throws {
        let chip = try SoftwareTPM()
        let counter = TPMCounter(index: 0x0180_4d00)
        var tpm = chip.connect()
        #expect(try await tpm.value(of: counter) == nil)
        let first = try await tpm.increment(counter)
        #expect(try await tpm.increment(counter) == first + 1)
        #expect(try await tpm.value(of: counter) == first + 1)
        chip.stop()
        try chip.start()
        tpm = chip.connect()
        #expect(try await tpm.value(of: counter) == first + 1)
        #expect(try await tpm.increment(counter) == first + 2)
    }

    /// A process that is killed leaves its keys in a chip that nobody manages; the next one finds room all the same.
    @Test func `what a process left in the chip is in nobody's way for long`() async throws {
        let chip = try SoftwareTPM()
        for _ in 0..<3 { try chip.leaveAnObject() }
        let tpm = chip.connect()
        await #expect(throws: TPMFailure.refused(0x902)) { try await tpm.createKey(.p256) }
        let key = try await tpm.createKey(.p256)
        #expect(try await tpm.sign(Self.digest, with: key, .ecdsa, .sha256).count > 60)
    }
}
