import ACME
import CertificateAuthority
import Foundation
import Management

/// Certifies apps' identities, for who was handed a client identifier in a credential document.
struct IdentityOffice: ACMEOffice {
    let purpose = ACMEOrder.Purpose.identity
    let management: Management
    let authority: Authority
    let judge: AttestationJudge
    let work: SlowWork

    func order(_ wish: ACMEOrderRequest, account: String) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.orderCertificate(wish, account: account)
    }

    func verdict(on answer: AttestationAnswer, of order: ACMEOrder) async throws -> AttestationVerdict {
        judge.judge(answer, of: try await management.device(ofOrder: order.id))
    }

    func answer(_ order: ACMEOrder, _ verdict: AttestationVerdict) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.answerChallenge(of: order.id, verdict)
    }

    func deactivate(_ order: ACMEOrder) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await management.deactivateAuthorization(of: order.id)
    }

    func finalize(
        _ order: ACMEOrder, _ request: ACMECertificateRequest, now moment: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        var profile = try JSONDecoder().decode(IdentityProfile.self, from: order.terms.profile)
        profile.permanentIdentifier = order.identifier.value
        let certificate: IssuedIdentity
        do {
            certificate = try await work.run { [authority, profile, lifetime = management.lifetimes.identity] in
                try authority.issue(
                    publicKeyInfo: request.publicKeyInfo, profile: profile, lifetime: lifetime, now: moment)
            }
        } catch is IssuanceRefusal {
            return .refused(
                ACMEProblem(.badCSR, "The key of the certificate request is not of the kind and size demanded."))
        }
        return try await management.finalize(order: order.id, certificate: certificate)
    }

    func chain(serial: String) async throws -> String? {
        guard let certificate = try await management.identityCertificate(serial: serial) else { return nil }
        return PEMText.certificate(certificate.issued.der) + authority.certificatePEM + "\n"
    }

    func revoke(
        _ request: ACMERevocationRequest, account: String?, keyOf key: Data?
    ) async throws -> ACMEProblem? {
        try await management.revoke(request, account: account, keyOf: key)
    }
}
