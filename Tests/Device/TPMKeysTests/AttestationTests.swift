import Attestation
import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import SoftwareTPM
import TPMKeys
import Testing

/// The whole way from a chip's maker to a key that an authority believes in (S4-DATA-07, S4-VPN-02).
@Suite(.enabled(if: SoftwareTPM.isThere))
struct AttestationTests {
    private static let nonce = Data(SHA256.hash(data: Data("token".utf8)))

    @Test func `a key in the chip is attested, and only that key, to that question, by whom we trust`() async throws {
        let chip = try SoftwareTPM(certified: true)
        let tpm = chip.connect()
        let now = Date()
        let authority = try Authority.create(commonName: "Attestation", now: now)
        let attestationKey = try await tpm.createAttestationKey()
        let certificate = try await Self.certificate(of: attestationKey, in: tpm, chip, authority, now)

        let key = try await tpm.createKey(.p256)
        let said = try await tpm.certify(key, by: attestationKey, nonce: Self.nonce)
        let statement = TPMStatement(
            chain: [certificate], algorithm: -7, signature: said.signature, certification: said.certification,
            publicArea: key.publicArea)
        let trust = AttestationTrust(tpmRoots: [authority.certificateDER])
        let attested = try AttestationStatement(decoding: AttestationStatement.tpm(statement).encoded)
            .verify(nonce: Self.nonce, trust: trust, now: now)
        #expect(attested.publicKeyInfo == key.publicKeyInfo)
        #expect(attested.permanentIdentifier == "C02TEST")
        #expect(attested.format == .tpm)
        try attested.checkRequest(publicKeyInfo: try #require(key.publicKeyInfo))

        let other = try await tpm.createKey(.p256)
        #expect(throws: AttestationRefusal.otherKey) {
            try attested.checkRequest(publicKeyInfo: try #require(other.publicKeyInfo))
        }
        func refusal(
            _ change: (TPMStatement) -> TPMStatement, nonce: Data = Self.nonce, trust given: AttestationTrust? = nil,
            at moment: Date? = nil
        ) -> AttestationRefusal? {
            do throws(AttestationRefusal) {
                _ = try AttestationStatement.tpm(change(statement))
                    .verify(nonce: nonce, trust: given ?? trust, now: moment ?? now)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal({ $0.with(publicArea: other.publicArea) }) == .otherKey)
        #expect(refusal({ $0 }, nonce: Data(SHA256.hash(data: Data("another".utf8)))) == .stale)
        let stranger = try Authority.create(commonName: "Attestation", now: now)
        #expect(refusal({ $0 }, trust: .init(tpmRoots: [stranger.certificateDER])) == .untrustedRoot)
        #expect(refusal({ $0 }, trust: .init()) == .untrustedRoot)
        #expect(refusal({ $0 }, at: now + 400 * 86_400) == .expired)
        let device = try authority.issueDevice(
            publicKeyDER: try #require(attestationKey.publicKeyInfo), commonName: "x", notBefore: now,
            notAfter: now + 1_000)
        #expect(refusal({ $0.with(chain: [device]) }, at: now + 1) == .certificate)
        let unlike = try await tpm.certify(key, by: attestationKey, nonce: Data([1]))
        #expect(refusal({ $0.with(certification: unlike.certification) }) == .signature)
        #expect(refusal({ $0.with(algorithm: -257) }) == .algorithm)

        // The attestation key itself signs no foreign bytes, so it is none to be attested.
        let itself = try await tpm.certify(attestationKey, by: attestationKey, nonce: Self.nonce)
        let ofItself = statement.with(
            publicArea: attestationKey.publicArea, certification: itself.certification, signature: itself.signature)
        #expect(refusal({ _ in ofItself }) == .attributes)
    }

    @Test func `the secret of a credential comes back only from the chip and the key it was made for`() async throws {
        let chip = try SoftwareTPM()
        let tpm = chip.connect()
        let endorsement = try TPMPublicArea(decoding: try await tpm.endorsement().publicArea)
        let key = try await tpm.createAttestationKey()
        let other = try await tpm.createAttestationKey()
        let secret = Data((0..<32).map { UInt8($0) })
        let name = try TPMPublicArea(decoding: key.publicArea).name
        let credential = try TPMCredential.make(secret, for: name, to: endorsement)
        #expect(try await tpm.activate(credential, attestationKey: key) == secret)
        await #expect(throws: TPMFailure.self) { try await tpm.activate(credential, attestationKey: other) }
        let stranger = try SoftwareTPM()
        let there = stranger.connect()
        let theirs = try await there.createAttestationKey()
        await #expect(throws: TPMFailure.self) { try await there.activate(credential, attestationKey: theirs) }
    }

    /// What an attestation authority does: judge the maker's certificate, let the chip prove itself, certify its key.
    private static func certificate(
        of attestationKey: TPMKeyBlob, in tpm: TPM, _ chip: SoftwareTPM, _ authority: Authority, _ now: Date
    ) async throws -> Data {
        let endorsement = try await tpm.endorsement()
        let maker = try chip.maker()
        let certificates = [try #require(endorsement.certificate), maker.issuer]
        #expect(throws: AttestationRefusal.untrustedRoot) {
            try EndorsedChip(
                certificates: certificates, endorsementKey: endorsement.publicArea,
                attestationKey: attestationKey.publicArea, roots: [authority.certificateDER], now: now + 60)
        }
        let endorsed = try EndorsedChip(
            certificates: certificates, endorsementKey: endorsement.publicArea,
            attestationKey: attestationKey.publicArea, roots: [maker.root], now: now + 60)
        let secret = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        let answer = try await tpm.activate(try endorsed.challenge(secret), attestationKey: attestationKey)
        try #require(answer == secret)
        return try authority.issueAttestationKey(
            publicKeyDER: try #require(attestationKey.publicKeyInfo), permanentIdentifier: "C02TEST", now: now)
    }
}

extension TPMStatement {
    fileprivate func with(
        chain: [Data]? = nil, algorithm: Int64? = nil, publicArea: Data? = nil, certification: Data? = nil,
        signature: Data? = nil
    ) -> TPMStatement {
        TPMStatement(
            chain: chain ?? self.chain, algorithm: algorithm ?? self.algorithm, signature: signature ?? self.signature,
            certification: certification ?? self.certification, publicArea: publicArea ?? self.publicArea)
    }
}
