import CertificateAuthority
import Foundation
import Management
import SCEP

/// Issues device certificates for requests that carry an enrollment code.
struct EnrollmentIssuer: SCEPIssuer {
    let management: Management
    let authority: Authority
    let work: SlowWork
    let now: @Sendable () -> Date

    var noun: String { "enrollment" }
    var mayTakeLegacy: Bool { true }

    func certificate(for request: SCEPRequest) async throws -> Data {
        try management.requireCertifying()
        guard request.messageType == .certificateRequest else {
            throw SCEPIssuerRefusal(.badRequest, "a certificate is asked for with an enrollment code, not renewed")
        }
        // Where a chip must vouch for the key, a code must not be good for one that nobody vouches for.
        guard management.enrollmentMeans == .scep else {
            throw SCEPIssuerRefusal(.badRequest, "devices have their identity by ACME here")
        }
        guard let code = request.csr.challengePassword else {
            throw SCEPIssuerRefusal(.badRequest, "a certificate request carries an enrollment code")
        }
        let name: String
        switch try await management.examine(code: code) {
        case .refused(let refusal): throw SCEPIssuerRefusal(refusal)
        case .accepted(let found):
            name = try await management.certificateName(renewedBy: found) ?? Self.name()
            guard !request.usedLegacy || found.allowLegacyCryptography else {
                throw SCEPIssuerRefusal(
                    .badAlgorithm, "the enrollment code does not permit DES, Triple DES or SHA-1")
            }
        }
        // Made before the code is used: a request that cannot be served leaves the code as it was.
        let moment = now()
        let fresh: Data
        do {
            fresh = try await work.run { [authority, validity = management.lifetimes.enrollment] in
                try authority.issueDevice(
                    requestDER: request.csr.der, commonName: name, now: moment, validity: validity)
            }
        } catch let problem as HTTPProblem {
            throw problem
        } catch {
            throw SCEPIssuerRefusal(.badRequest, "the certificate request: \(error)")
        }
        let redeemed: RedeemedCode
        switch try await management.redeem(
            code: code, transactionID: request.transactionID, publicKeyDigest: request.csr.publicKeyDigest)
        {
        case .refused(let refusal): throw SCEPIssuerRefusal(refusal)
        case .accepted(let found): redeemed = found
        }
        if let issued = redeemed.issued { return issued.certificateDER }
        guard case .issuedByUs(let facts) = authority.judge(fresh, now: moment) else {
            throw SCEPIssuerRefusal(.badRequest, "the certificate request does not lead to a device certificate")
        }
        let record = IssuedRecord(
            serial: Hexadecimal.text(facts.serial), fingerprint: facts.fingerprint, certificateDER: fresh,
            codeID: redeemed.code.id, publicKeyDigest: request.csr.publicKeyDigest, issued: moment,
            notAfter: facts.notAfter)
        if let refusal = try await management.recordIssued(record) { throw SCEPIssuerRefusal(refusal) }
        return fresh
    }

    /// A name that says nothing of the device: what it is called is for the administrator to see, not for the network.
    ///
    /// The enrollment has it until its end, through all renewals.
    static func name() -> String { "device \(UUID().uuidString.lowercased())" }
}

extension SCEPIssuerRefusal {
    fileprivate init(_ refusal: CodeRefusal) {
        self.init(.badRequest, refusal.reason)
    }
}
