import ACME
import AppMessages
import Attestation
import Crypto
import CryptoExtras
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Signatures
import SoftwareTPM
import SwiftASN1
import TPMKeys
import TestLog
import Testing
import Waiting
import X509

/// Identities whose keys are in a TPM (S4-DATA-07, S4-VPN-02, D6).
@Suite(.serialized, .enabled(if: SoftwareTPM.isThere), .timeLimit(.minutes(10)))
struct ChipIdentityTests {
    /// The key is made in the chip, the chip vouches for it, the authority believes it, and apps sign with it.
    @Test func aKeyInTheChipIsAttestedAndSigns() async throws {
        let chip = try SoftwareTPM(certified: true)
        let chips = PlayedChipAuthority(maker: try chip.maker())
        try await EnrolledDevice.run(tpm: chip.connect()) { fixture in
            fixture.management.certify(chips)
            fixture.management.issue(Self.strictAuthority(fixture))
            fixture.management.give([Self.secret(fixture, size: 256, attest: true)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
            let first = try Self.identity(fixture)
            #expect(first.hardwareBound && first.attested && first.key.keeper == "tpm")
            let leaf = try Certificate(derEncoded: Array(try #require(first.certificates.first)))
            let key = try #require(P256.Signing.PublicKey(leaf.publicKey))
            let signature = try ChipKeys(try #require(fixture.device.tpm)).sign(
                Data("hello".utf8), SignatureAlgorithm(.ecdsa, .sha256, over: .message), with: first.key)
            #expect(key.isValidSignature(try .init(derRepresentation: signature), for: Data("hello".utf8)))

            // The attestation key is certified once; each identity has a key of its own.
            fixture.clock.advance(days: 21)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("another identity") { (try? Self.identity(fixture)) != first }
            #expect(chips.count == 1)
            #expect(try Self.identity(fixture).key.material != first.key.material)
            // Until two thirds of its certificate's life are over.
            fixture.clock.advance(days: 45)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("a second certificate") { chips.count == 2 }
        }
    }

    /// The status shows where the key is, even if the administrator did not demand hardware.
    @Test(arguments: [(256, true), (384, true), (384, false)])
    func aKeyInTheChipNeedsNoAttestation(size: Int, demanded: Bool) async throws {
        let chip = try SoftwareTPM()
        try await EnrolledDevice.run(tpm: chip.connect()) { fixture in
            fixture.management.give([Self.secret(fixture, size: size, hardwareBound: demanded, attest: false)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
            let identity = try Self.identity(fixture)
            #expect(identity.hardwareBound && !identity.attested && identity.key.size == size)
        }
    }

    /// Without the chip nothing is signed and nothing new is made: no software key takes the place of one in the chip.
    @Test func withTheChipStoppedNothingSignsAndNoOtherKeyIsMade() async throws {
        let chip = try SoftwareTPM()
        try await EnrolledDevice.run(tpm: chip.connect()) { fixture in
            fixture.management.give([Self.secret(fixture, size: 256, attest: false)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
            let identity = try Self.identity(fixture)
            chip.stop()
            let keys = ChipKeys(try #require(fixture.device.tpm))
            let algorithm = SignatureAlgorithm(.ecdsa, .sha256, over: .message)
            #expect(throws: SigningRefusal.key) {
                try keys.sign(Data("hello".utf8), algorithm, with: identity.key)
            }
            #expect(throws: SigningRefusal.key) {
                try SoftwareKeys().sign(Data("hello".utf8), algorithm, with: identity.key)
            }
            fixture.clock.advance(days: 21)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("the log says so") {
                fixture.log.say("the key could not be made yet") || fixture.log.say("the TPM")
            }
            #expect(try Self.identity(fixture) == identity)
            try chip.start()
            #expect(try keys.sign(Data("hello".utf8), algorithm, with: identity.key).count > 60)
        }
    }

    /// A chip of an untrusted maker gets no identity, and the server gets the reason.
    @Test func aChipThatTheServerDoesNotTrustIsNotAttested() async throws {
        let chip = try SoftwareTPM(certified: true)
        let stranger = try SoftwareTPM(certified: true)
        let chips = PlayedChipAuthority(maker: try stranger.maker())
        try await EnrolledDevice.run(tpm: chip.connect()) { fixture in
            fixture.management.certify(chips)
            fixture.management.issue(Self.strictAuthority(fixture))
            fixture.management.give([Self.secret(fixture, size: 256, attest: true)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the server hears the reason") {
                let asset = try fixture.management.reports.last?.declarations()?.assets.first {
                    $0.identifier == "secret.mtls"
                }
                return asset?.reasons.first?.code == "Error.AssetCannotBeVerified"
                    && fixture.log.say("does not certify the attestation key")
            }
            #expect(fixture.secrets.of(.identity).isEmpty)
        }
    }

    /// Every algorithm of a key of the chip verifies, over messages and over digests; others are refused.
    @Test(arguments: [SigningKey.Algorithm.p256, .p384, .rsa2048])
    func signaturesOfTheChipVerify(_ kind: SigningKey.Algorithm) async throws {
        let chip = try SoftwareTPM()
        let keys = ChipKeys(chip.connect())
        let key = try await keys.make(kind)
        let message = Data("sign this".utf8)
        for scheme in SignatureAlgorithm.Scheme.allCases {
            let overMessage = SignatureAlgorithm(scheme, .sha256, over: .message)
            guard (scheme == .ecdsa) == (key.stored.type == .ec) else {
                #expect(throws: SigningRefusal.algorithm) {
                    try keys.sign(message, overMessage, with: key.stored)
                }
                continue
            }
            let digest = SHA256.hash(data: message)
            let overDigest = SignatureAlgorithm(scheme, .sha256, over: .digest)
            for signature in [
                try keys.sign(message, overMessage, with: key.stored),
                try keys.sign(Data(digest), overDigest, with: key.stored),
            ] {
                if let p256 = P256.Signing.PublicKey(key.requester.publicKey) {
                    #expect(p256.isValidSignature(try .init(derRepresentation: signature), for: digest))
                } else if let p384 = P384.Signing.PublicKey(key.requester.publicKey) {
                    #expect(p384.isValidSignature(try .init(derRepresentation: signature), for: digest))
                } else {
                    let rsa = try #require(_RSA.Signing.PublicKey(key.requester.publicKey))
                    #expect(
                        rsa.isValidSignature(
                            .init(rawRepresentation: signature), for: digest,
                            padding: scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5))
                }
            }
        }
    }

    // MARK: help

    private static func identity(_ fixture: EnrolledDevice) throws -> StoredIdentity {
        guard case .identity(let identity) = try fixture.secret(.identity, "mtls") else {
            throw DidNotHappen(description: "an identity")
        }
        return identity
    }

    private static func secret(
        _ fixture: EnrolledDevice, size: Int, hardwareBound: Bool = true, attest: Bool
    ) -> PlayedSecret {
        let document = ACMEDocument(
            directoryURL: fixture.server.url + "/acme/directory", clientIdentifier: PlayedACME.identifier,
            keySize: size, hardwareBound: hardwareBound, subject: [], attest: attest)
        return PlayedSecret(.acme, "mtls", document.encoded())
    }

    /// An authority that believes chips whose attestation key the played server certified, and nobody else.
    private static func strictAuthority(_ fixture: EnrolledDevice) -> PlayedACME {
        PlayedACME(fixture.server.url, attest: true) { answer in
            do {
                let trust = AttestationTrust(tpmRoots: [try ScriptedServer.root()])
                let attested = try AttestationStatement(decoding: answer.object).verify(
                    AttestationQuestion(token: answer.token, keyAuthorization: answer.keyAuthorization), trust: trust,
                    now: Date() + 1)
                return .attested(publicKeyInfo: attested.publicKeyInfo)
            } catch {
                return .refused("no")
            }
        }
    }
}
