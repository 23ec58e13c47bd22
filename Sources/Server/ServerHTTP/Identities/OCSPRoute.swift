import CertificateAuthority
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// `/pki/ocsp`: whether a certificate of an identity is revoked, asked one at a time (RFC 6960).
struct OCSPRoute: Sendable {
    /// An answer may be shown for as long as the list of revoked certificates is given out.
    private static let validity = RevocationLists.kept

    let management: Management
    let authority: Authority
    let now: @Sendable () -> Date

    func add(to router: Router<MartletContext>) {
        router.post("/pki/ocsp") { request, _ in
            Response(
                status: .ok, headers: [.contentType: "application/ocsp-response", .cacheControl: "no-store"],
                body: ResponseBody(data: try await answer(request.bytes(upTo: OCSPRequest.sizeLimit))))
        }
    }

    private func answer(_ body: Data) async throws -> Data {
        guard let request = try? OCSPRequest(parsing: body) else { return try Authority.ocspRefusal() }
        var statuses: [OCSPStatus] = []
        for asked in request.certificates { statuses.append(try await status(of: asked)) }
        let moment = now()
        return try authority.answer(request, statuses, now: moment, nextUpdate: moment + Self.validity)
    }

    private func status(of asked: OCSPRequest.Certificate) async throws -> OCSPStatus {
        guard authority.isIssuer(of: asked),
            let known = try await management.identityCertificate(serial: Hexadecimal.text(asked.serial))
        else { return .unknown }
        return known.revoked.map { .revoked($0, reason: known.reason) } ?? .good
    }
}
