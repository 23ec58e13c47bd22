package import Attestation
package import Foundation

/// The makers of chips that the operator trusts.
package struct EndorsementTrust: Sendable {
    /// Certificates of chips' makers in DER: a chip under one of them is one of hardware.
    package var roots: [Data]
    /// Takes a device at its word: the first chip that it shows is its own from then on, though nobody vouches for it.
    package var pinsFirstChip: Bool

    package init(roots: [Data] = [], pinsFirstChip: Bool = false) {
        self.roots = roots
        self.pinsFirstChip = pinsFirstChip
    }

    func judge(
        certificates: [Data], endorsementKey: Data, attestationKey: Data, now: Date
    ) throws(AttestationRefusal) -> EndorsedChip {
        if !certificates.isEmpty, !roots.isEmpty {
            do throws(AttestationRefusal) {
                return try EndorsedChip(
                    certificates: certificates, endorsementKey: endorsementKey, attestationKey: attestationKey,
                    roots: roots, now: now)
            } catch {
                guard pinsFirstChip, error == .untrustedRoot else { throw error }
            }
        }
        guard pinsFirstChip else { throw .untrustedRoot }
        return try EndorsedChip(unvouched: endorsementKey, attestationKey: attestationKey)
    }
}

/// A challenge to a chip that waits for its answer.
package struct PendingAttestation: Sendable, Equatable {
    /// The enrollment.
    package let device: String
    /// SHA-256 of the endorsement key (SubjectPublicKeyInfo).
    package let endorsementKey: Data
    package let isVouchedFor: Bool
    /// SubjectPublicKeyInfo of the key that shall vouch for others.
    package let attestationKey: Data
    /// SHA-256 of what the chip must bring back.
    package let secretDigest: Data
    package let expires: Date

    package init(
        device: String, endorsementKey: Data, isVouchedFor: Bool, attestationKey: Data, secretDigest: Data,
        expires: Date
    ) {
        self.device = device
        self.endorsementKey = endorsementKey
        self.isVouchedFor = isVouchedFor
        self.attestationKey = attestationKey
        self.secretDigest = secretDigest
        self.expires = expires
    }
}

/// Challenges to chips, and which chip is whose, as a store keeps them.
package protocol AttestationStore: Sendable {
    /// Keeps a challenge, one for each device, if the chip belongs to this device or to none.
    func beginAttestation(_ pending: PendingAttestation) async throws -> AttestationKeyRefusal?
    /// Ends the challenge of a device, whatever comes of it; if it was answered well the chip is the device's from then
    /// on, until the enrollment ends.
    func finishAttestation(
        of device: String, secretDigest: Data, now: Date
    ) async throws -> Outcome<PendingAttestation, AttestationKeyRefusal>

    /// The same under an enrollment code, or a right to renew, that is good: nobody knows yet whose chip it is. A right to
    /// renew takes the device's own chip alone.
    func beginAttestation(_ pending: PendingAttestation, underCode digest: Data, now: Date) async throws
        -> AttestationKeyRefusal?
    /// Ends the challenge under a code; the chip becomes the device's own when that checks in by the code.
    func finishAttestation(
        underCode digest: Data, secretDigest: Data, now: Date
    ) async throws -> Outcome<PendingAttestation, AttestationKeyRefusal>
}

/// Why a device's attestation key is not certified; nothing of what it sent is repeated.
package enum AttestationKeyRefusal: Error, Sendable, Equatable {
    case statement(AttestationRefusal)
    /// The device showed another chip before.
    case otherChip
    /// The chip is that of another device that is enrolled.
    case chipOfAnotherDevice
    /// Nothing was asked, or too long ago.
    case noChallenge
    case wrongSecret
    /// The enrollment code is not one that is good.
    case badCode
    /// The device is expected by another chip.
    case notTheExpectedChip

    /// For programs.
    package var code: String {
        switch self {
        case .statement(let refusal): refusal.rawValue
        case .otherChip: "otherChip"
        case .chipOfAnotherDevice: "chipOfAnotherDevice"
        case .noChallenge: "noChallenge"
        case .wrongSecret: "wrongSecret"
        case .badCode: "badCode"
        case .notTheExpectedChip: "notTheExpectedChip"
        }
    }

    package var rule: String {
        switch self {
        case .statement(let refusal): "\(refusal)"
        case .otherChip: "a device keeps its chip until it is enrolled anew"
        case .chipOfAnotherDevice: "a chip serves one enrolled device"
        case .noChallenge: "an activation answers a challenge of the last ten minutes"
        case .wrongSecret: "only the chip that was asked knows the secret"
        case .notTheExpectedChip: "an expected device has the chip by which it is expected"
        case .badCode: "before its enrollment a chip is asked under an enrollment code that is good"
        }
    }
}
