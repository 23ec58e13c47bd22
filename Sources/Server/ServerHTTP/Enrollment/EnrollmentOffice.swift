import ACME
import CertificateAuthority
import Crypto
import Foundation
import Management

/// Certifies devices' identities, for who has an enrollment code or a right to renew.
struct EnrollmentOffice: ACMEOffice {
    let purpose = ACMEOrder.Purpose.enrollment
    let management: Management
    let authority: Authority
    let judge: AttestationJudge
    let work: SlowWork

    func order(_ wish: ACMEOrderRequest, account: String) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.orderEnrollment(wish, account: account)
    }

    func verdict(on answer: AttestationAnswer, of order: ACMEOrder) async throws -> AttestationVerdict {
        judge.judge(answer, of: try await management.enrollmentCode(ofOrder: order.id))
    }

    func answer(_ order: ACMEOrder, _ verdict: AttestationVerdict) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.changeEnrollmentOrder(order.id, .answer(verdict))
    }

    func deactivate(_ order: ACMEOrder) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.changeEnrollmentOrder(order.id, .deactivation)
    }

    func finalize(
        _ order: ACMEOrder, _ request: ACMECertificateRequest, now moment: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        let code = try await management.enrollmentCode(ofOrder: order.id)
        let name = try await management.certificateName(renewedBy: code) ?? EnrollmentIssuer.name()
        let fresh: Data
        do {
            fresh = try await work.run { [authority, lifetime = management.lifetimes.enrollment] in
                try authority.issueDevice(
                    publicKeyDER: request.publicKeyInfo, commonName: name,
                    notBefore: moment - Authority.clockTolerance, notAfter: moment + lifetime)
            }
        } catch is IssuanceRefusal {
            return .refused(ACMEProblem(.badCSR, "The key of the certificate request is not of a kind for devices."))
        }
        guard case .issuedByUs(let facts) = authority.judge(fresh, now: moment) else {
            return .refused(ACMEProblem(.badCSR, "The certificate request does not lead to a device certificate."))
        }
        return try await management.finalizeEnrollment(
            order: order.id, publicKeyDigest: Data(SHA256.hash(data: request.publicKeyInfo))
        ) { codeID in
            IssuedRecord(
                serial: Hexadecimal.text(facts.serial), fingerprint: facts.fingerprint, certificateDER: fresh,
                codeID: codeID, publicKeyDigest: Data(SHA256.hash(data: request.publicKeyInfo)), issued: moment,
                notAfter: facts.notAfter)
        }
    }

    func chain(serial: String) async throws -> String? {
        guard let certificate = try await management.issuedCertificate(serial: serial) else { return nil }
        return PEMText.certificate(certificate.certificateDER) + authority.certificatePEM + "\n"
    }

    /// A device's identity ends when an administrator withdraws the device.
    func revoke(
        _ request: ACMERevocationRequest, account: String?, keyOf key: Data?
    ) async throws -> ACMEProblem? {
        ACMEProblem(.unauthorized, "A device's identity ends with its enrollment.")
    }
}
