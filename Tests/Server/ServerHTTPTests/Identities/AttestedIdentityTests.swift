import ACME
import Attestation
import CertificateAuthority
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import Management
import SoftwareTPM
import SwiftASN1
import TPMKeys
import TestLog
import Testing
import X509

/// `device-attest-01` with a real TPM implementation, and in Apple's form: who gets a certificate, and by which rule the
/// others do not (S4-DATA-07, S4-VPN-02).
@Suite struct AttestedIdentityTests {
    private static let refusal = ACMERefusal.invalid(problem: "badAttestationStatement")

    @Test(.enabled(if: SoftwareTPM.isThere))
    func `a key in the chip gets the certificate, and what proves less is refused by its rule`() async throws {
        let chip = try SoftwareTPM(certified: true)
        let maker = try chip.maker()
        let trust = EndorsementTrust(roots: [maker.root])
        // The maker's certificates begin with the second in which they were made.
        try await IdentityFixture.with(.ownACME(attest: true), endorsement: trust) { (fixture) async throws in
            let chip = try await TPMDevice(fixture.device, chip)
            let certificate = try await chip.certificate(issuer: maker.issuer)
            let key = try await chip.tpm.createKey(.p256)
            let request = try await chip.request(key)
            let identifier = try await fixture.clientIdentifier()
            let account = AccountKey.generate()
            @Sendable func good(_ challenge: ACMEChallenge, _ authorization: String) async throws -> Data {
                try await chip.statement(key, certificate: certificate, nonce: nonce(challenge, authorization))
            }

            let chain = try await fixture.obtain(identifier, request: request, account: account, proof: good)
            #expect(chain.certificates.first.flatMap(Authority.publicKeyInfo) == key.publicKeyInfo)

            func refused(
                _ rule: String, proof: @escaping @Sendable (ACMEChallenge, String) async throws -> Data
            ) async throws {
                let before = fixture.server.log.all.count
                await #expect(throws: Self.refusal, "\(rule)") {
                    try await fixture.obtain(identifier, request: request, account: account, proof: proof)
                }
                let lines = fixture.server.log.all.dropFirst(before)
                #expect(lines.contains { $0.contains("attestation refused") && $0.contains(rule) }, "\(rule)")
            }
            try await refused("The key must be attested") { _, _ in IdentityFixture.none }
            let other = try await chip.tpm.createKey(.p256)
            try await refused("about another key") {
                try await chip.statement(key, certificate: certificate, nonce: nonce($0, $1), showing: other)
            }
            try await refused("does not answer this challenge") { challenge, _ in
                // As for another account: the token alone is not enough.
                let other = nonce(challenge, challenge.token + ".other")
                return try await chip.statement(key, certificate: certificate, nonce: other)
            }
            let stranger = try SharedAuthority.namesake()
            let attestationKey = try #require(chip.attestationKey.publicKeyInfo)
            let untrusted = try stranger.issueAttestationKey(
                publicKeyDER: attestationKey, permanentIdentifier: fixture.device.identifier.key, now: Date())
            try await refused("no trusted root") {
                try await chip.statement(key, certificate: untrusted, nonce: nonce($0, $1))
            }
            let elsewhere = try fixture.server.authority.issueAttestationKey(
                publicKeyDER: attestationKey, permanentIdentifier: "another device", now: Date())
            try await refused("of another device") {
                try await chip.statement(key, certificate: elsewhere, nonce: nonce($0, $1))
            }
            // An identity of an app vouches for no key, nor does a device's certificate.
            let plain = try fixture.server.authority.issueDevice(
                publicKeyDER: attestationKey, commonName: "x", notBefore: Date() - 60, notAfter: Date() + 600)
            try await refused("not for that use") {
                try await chip.statement(key, certificate: plain, nonce: nonce($0, $1))
            }

            // Well attested, but the certificate is asked for another key.
            let software = SigningKey.p256(P256.Signing.PrivateKey())
            await #expect(throws: ACMERefusal.status(400, problem: "badCSR")) {
                try await fixture.obtain(identifier, key: software, account: account, proof: good)
            }
            #expect(fixture.server.log.say("ACME request refused", "not the one that was attested"))
            let issued = try await fixture.server.management.auditEntries(
                AuditFilter(action: .issueIdentity), PageRequest())
            #expect(issued.items.count == 1)
        }
    }

    @Test func `an attestation in Apple's form gets the certificate for its key and device alone`() async throws {
        let apple = try AppleRoot()
        try await IdentityFixture.with(.ownACME(attest: true), appleRoots: [apple.certificate]) {
            (fixture) async throws in
            let identifier = try await fixture.clientIdentifier()
            let account = AccountKey.generate()
            let key = P256.Signing.PrivateKey()
            let udid = fixture.device.identifier.key
            let chain = try await fixture.obtain(identifier, key: .p256(key), account: account) { challenge, _ in
                try apple.attest(key, udid: udid, token: challenge.token)
            }
            #expect(
                chain.certificates.first.flatMap(Authority.publicKeyInfo) == key.publicKey.derRepresentation)
            let stranger = try AppleRoot()
            func refused(
                _ rule: String, proof: @escaping @Sendable (ACMEChallenge) throws -> Data
            ) async throws {
                await #expect(throws: Self.refusal, "\(rule)") {
                    try await fixture.obtain(identifier, key: .p256(key), account: account) { challenge, _ in
                        try proof(challenge)
                    }
                }
                #expect(fixture.server.log.say("attestation refused", rule))
            }
            try await refused("no trusted root") { try stranger.attest(key, udid: udid, token: $0.token) }
            try await refused("does not answer") { try apple.attest(key, udid: udid, token: $0.token + ".") }
            try await refused("of another device") { try apple.attest(key, udid: "another", token: $0.token) }
        }
    }

    /// A chip's own word, but nobody's whom the operator trusts.
    @Test(.enabled(if: SoftwareTPM.isThere))
    func `where the operator trusts no chip none is certified`() async throws {
        let chip = try SoftwareTPM(certified: true)
        let maker = try chip.maker()
        try await IdentityFixture.with(.ownACME(attest: true)) { (fixture) async throws in
            let device = try await TPMDevice(fixture.device, chip)
            for issuer in [nil, maker.issuer] {
                let answer = try await device.ask(issuer: issuer)
                #expect(answer.status == 422)
                #expect(answer.text.contains("dev.martlet.attestation.untrustedRoot"))
            }
            #expect(fixture.server.log.say("attestation key refused", "no trusted root"))
        }
    }
}

private func nonce(_ challenge: ACMEChallenge, _ authorization: String) -> Data {
    AttestationQuestion(token: challenge.token, keyAuthorization: authorization).nonce(for: .tpm)
}

/// Somebody who attests as Apple does.
struct AppleRoot: Sendable {
    let certificate: Data
    private let key = P384.Signing.PrivateKey()
    private let name: DistinguishedName

    init() throws {
        name = try DistinguishedName { CommonName("Attestation Root") }
        certificate = try Self.sign(
            .init(key.publicKey), name, name, key,
            Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0)) })
    }

    func attest(_ attested: P256.Signing.PrivateKey, udid: String, token: String) throws -> Data {
        var extensions = try Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) }
        try extensions.append(
            .init(oid: [1, 2, 840, 113635, 100, 8, 9, 2], critical: false, value: Array(udid.utf8)[...]))
        try extensions.append(
            .init(
                oid: [1, 2, 840, 113635, 100, 8, 11, 1], critical: false,
                value: Array(SHA256.hash(data: Data(token.utf8)))[...]))
        let leaf = try Self.sign(
            .init(attested.publicKey), try DistinguishedName { CommonName("key") }, name, key, extensions)
        return AttestationStatement.apple(chain: [leaf]).encoded
    }

    private static func sign(
        _ publicKey: Certificate.PublicKey, _ subject: DistinguishedName, _ issuer: DistinguishedName,
        _ key: P384.Signing.PrivateKey, _ extensions: Certificate.Extensions
    ) throws -> Data {
        let made = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: Date() - 60,
            notValidAfter: Date() + 3_600, issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA384,
            extensions: extensions, issuerPrivateKey: .init(key))
        var serializer = DER.Serializer()
        try serializer.serialize(made)
        return Data(serializer.serializedBytes)
    }
}
