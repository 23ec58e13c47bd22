import ACME
import Attestation
import Foundation
import Management

/// Judges what devices say of their keys, as the challenge `device-attest-01` asks.
struct AttestationJudge: Sendable {
    let trust: AttestationTrust
    let now: @Sendable () -> Date

    /// A statement counts only for the device whose right the order was placed by.
    func judge(_ answer: AttestationAnswer, of device: Device?) -> AttestationVerdict {
        judge(answer) { attested in
            guard let device else { throw AttestationRefusal.otherDevice }
            try attested.checkDevice(udid: device.id, serialNumber: device.facts.serialNumber)
        }
    }

    /// At enrollment a statement counts only for the right under which the chip was asked: nobody knows the device yet.
    func judge(_ answer: AttestationAnswer, of code: EnrollmentCode?) -> AttestationVerdict {
        judge(answer) { attested in
            guard let code, attested.format == .tpm else { throw AttestationRefusal.otherDevice }
            try attested.checkDevice(udid: code.attestationName, serialNumber: nil)
        }
    }

    private func judge(_ answer: AttestationAnswer, isOf check: (AttestedKey) throws -> Void) -> AttestationVerdict {
        do {
            let attested = try AttestationStatement(decoding: answer.object).verify(
                AttestationQuestion(token: answer.token, keyAuthorization: answer.keyAuthorization), trust: trust,
                now: now())
            try check(attested)
            return .attested(publicKeyInfo: attested.publicKeyInfo)
        } catch AttestationRefusal.noStatement {
            return .unattested
        } catch let refusal as AttestationRefusal {
            return .refused("\(refusal)")
        } catch {
            return .refused("\(AttestationRefusal.malformed)")
        }
    }
}
