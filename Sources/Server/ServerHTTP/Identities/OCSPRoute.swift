import CertificateAuthority
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// `/pki/ocsp`: whether a certificate of an identity is revoked, asked one at a time (RFC 6960), by POST or by GET.
struct OCSPRoute: Sendable {
    private static let path = "/pki/ocsp/"
    /// As long as a list of revoked certificates is given out; then clients ask again.
    private static let fresh = Int(RevocationLists.kept)

    let management: Management
    let authority: Authority
    let answers: OCSPAnswers
    let now: @Sendable () -> Date

    func add(to router: Router<MartletContext>) {
        router.post("/pki/ocsp") { request, context in
            let body = try await request.bytes(upTo: OCSPRequest.sizeLimit)
            return try await respond(to: try? OCSPRequest(parsing: body), for: context.peer.counted, mayBeKept: false)
        }
        // What follows may have slashes in it: they belong to Base64.
        router.get("/pki/ocsp/**") { request, context in
            let text = request.uri.path.dropFirst(Self.path.count)
            return try await respond(
                to: try? OCSPRequest(parsingPath: text), for: context.peer.counted, mayBeKept: true)
        }
    }

    private func respond(
        to request: OCSPRequest?, for peer: PeerNetwork, mayBeKept: Bool
    ) async throws -> Response {
        guard let request else { return Self.response(try Authority.ocspRefusal(), [.cacheControl: "no-store"]) }
        var statuses: [OCSPStatus] = []
        for asked in request.certificates { statuses.append(try await status(of: asked)) }
        guard let answer = try answers.answer(request, statuses, for: peer, now: now()) else {
            throw HTTPProblem.signedEnough
        }
        let mayBeKept = mayBeKept && answer.isCommon
        return Self.response(answer.bytes, mayBeKept ? Self.caching(answer) : [.cacheControl: "no-store"])
    }

    private func status(of asked: OCSPRequest.Certificate) async throws -> OCSPStatus {
        guard authority.isIssuer(of: asked),
            let known = try await management.identityCertificate(serial: Hexadecimal.text(asked.serial))
        else { return .unknown }
        return known.revoked.map { .revoked($0, reason: known.reason) } ?? .good
    }

    private static func response(_ bytes: Data, _ headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = "application/ocsp-response"
        return Response(status: .ok, headers: headers, body: ResponseBody(data: bytes))
    }

    /// What RFC 5019 §6.2 asks for.
    private static func caching(_ answer: OCSPAnswers.Answer) -> HTTPFields {
        [
            .cacheControl: "max-age=\(fresh), public, no-transform, must-revalidate",
            .lastModified: HTTPDate.text(answer.made),
            .expires: HTTPDate.text(answer.made + OCSPAnswers.validity),
            .eTag: EntityTag(Hexadecimal.text(SHA256.hash(data: answer.bytes).prefix(16))).text,
        ]
    }
}

extension HTTPProblem {
    fileprivate static let signedEnough = HTTPProblem(
        .serviceUnavailable, "busy", "Too many answers have to be signed at this moment; try again",
        headers: [.retryAfter: "1"])
}
