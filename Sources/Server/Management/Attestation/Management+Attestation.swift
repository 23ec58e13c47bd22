package import Attestation
import Crypto
package import DeviceMessages
package import Foundation

extension Management {
    /// Asks a device's chip to prove that it holds the endorsement key and the attestation key that the device names.
    package func challengeChip(
        _ request: AttestationKeyRequest, of device: DeviceContext
    ) async throws -> Outcome<TPMCredential, AttestationKeyRefusal> {
        switch challenge(request, of: device.key, settings.endorsement) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let challenge):
            let refusal = try await store.beginAttestation(challenge.pending)
            return refusal.map(Outcome.refused) ?? .accepted(challenge.credential)
        }
    }

    /// Takes the answer of a device's chip; what is answered is the attestation key (SubjectPublicKeyInfo) to certify.
    ///
    /// The device's chip is in the audit log before this answers.
    package func activateAttestationKey(
        secret: Data, of device: DeviceContext
    ) async throws -> Outcome<Data, AttestationKeyRefusal> {
        try await store.finishAttestation(
            of: device.key, secretDigest: Data(SHA256.hash(data: secret)), now: moment
        ).map(\.attestationKey)
    }

    /// The same before anybody knows the device, under the code by which it enrolls or renews.
    package func challengeChip(
        _ request: AttestationKeyRequest, underCode text: String
    ) async throws -> Outcome<TPMCredential, AttestationKeyRefusal> {
        guard case .accepted(let code) = try await examine(code: text) else { return .refused(.badCode) }
        var trust = settings.endorsement
        if case .device(_, .some(let chip)) = code.holder {
            // The administrator named this very chip: no maker has to vouch for it, and no other will do.
            trust.pinsFirstChip = true
            guard case .accepted(let shown) = challenge(request, of: code.attestationName, trust),
                shown.pending.endorsementKey == chip
            else { return .refused(.notTheExpectedChip) }
        }
        switch challenge(request, of: code.attestationName, trust) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let challenge):
            let refusal = try await store.beginAttestation(
                challenge.pending, underCode: Self.digest(text), now: moment)
            return refusal.map(Outcome.refused) ?? .accepted(challenge.credential)
        }
    }

    /// Takes the answer of a chip that was asked under a code; what is answered is the key to certify, and its name.
    package func activateAttestationKey(
        secret: Data, underCode text: String
    ) async throws -> Outcome<(publicKeyInfo: Data, name: String), AttestationKeyRefusal> {
        try await store.finishAttestation(
            underCode: Self.digest(text), secretDigest: Data(SHA256.hash(data: secret)), now: moment
        ).map { ($0.attestationKey, $0.device) }
    }

    private func challenge(
        _ request: AttestationKeyRequest, of device: String, _ trust: EndorsementTrust
    ) -> Outcome<(pending: PendingAttestation, credential: TPMCredential), AttestationKeyRefusal> {
        let secret = random(32)
        let chip: EndorsedChip
        let credential: TPMCredential
        do {
            chip = try trust.judge(
                certificates: request.endorsementCertificates, endorsementKey: request.endorsementKey,
                attestationKey: request.attestationKey, now: now())
            credential = try chip.challenge(secret)
        } catch let refusal as AttestationRefusal {
            return .refused(.statement(refusal))
        } catch {
            return .refused(.statement(.key))
        }
        guard let endorsementKey = chip.endorsementKey.publicKeyInfo,
            let attestationKey = chip.attestationKey.publicKeyInfo
        else { return .refused(.statement(.key)) }
        let pending = PendingAttestation(
            device: device, endorsementKey: Data(SHA256.hash(data: endorsementKey)),
            isVouchedFor: chip.isVouchedFor, attestationKey: attestationKey,
            secretDigest: Data(SHA256.hash(data: secret)), expires: moment + AttestationKeyChallenge.validSeconds)
        return .accepted((pending, credential))
    }
}
