import ACME
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import NIOCore

/// An entrance by RFC 8555, for devices that were handed a client identifier.
struct ACMERoutes: Sendable {
    private typealias Step = @Sendable (ACMECall) async throws -> ACMEReply

    /// Of the entrance, such as `/acme`.
    let path: String
    let service: ACMEService
    let baseURL: String
    let traffic: Traffic

    func add(to router: Router<MartletContext>) {
        router.get(RouterPath(path + "/directory")) { _, _ in
            answer(ACMEReply(document: service.addresses.directory.json), nonce: false)
        }
        router.head(RouterPath(path + "/new-nonce")) { _, _ in answer(ACMEReply()) }
        router.get(RouterPath(path + "/new-nonce")) { _, _ in answer(ACMEReply(status: 204)) }
        router.post(RouterPath(path + "/new-account")) { request, context in
            try await perform(request, context) { try await service.newAccount($0, peer: context.peer) }
        }
        add("/account/{id}", to: router) { try await service.account($0) }
        add("/key-change", to: router) { try await service.changeKey($0) }
        add("/new-order", to: router) { try await service.newOrder($0) }
        add("/order/{id}", to: router) { try await service.order($0) }
        add("/order/{id}/finalize", to: router) { try await service.finalize($0) }
        add("/authorization/{id}", to: router) { try await service.authorization($0) }
        add("/challenge/{id}", to: router) { try await service.challenge($0) }
        add("/certificate/{id}", to: router) { try await service.certificate($0) }
        add("/revoke-cert", to: router) { try await service.revoke($0) }
    }

    private func add(_ place: String, to router: Router<MartletContext>, _ step: @escaping Step) {
        router.post(RouterPath(path + place)) { request, context in try await perform(request, context, step) }
    }

    private func perform(_ request: Request, _ context: MartletContext, _ step: Step) async throws -> Response {
        do {
            guard request.headers[.contentType] == ACMEHTTPRequest.contentType else {
                throw ACMEProblem(.malformed, "A request has the media type application/jose+json.")
            }
            let body = try await request.bytes(upTo: SignedRequest.sizeLimit)
            let call = try await service.open(
                body, url: baseURL + request.uri.path, id: context.parameters.get("id") ?? "",
                peer: context.peer)
            let reply = try await step(call)
            if let note = reply.note { context.logger.notice("attestation refused", metadata: ["rule": "\(note)"]) }
            return answer(reply)
        } catch let problem as ACMEProblem {
            return refuse(problem, context)
        }
    }

    private func answer(_ reply: ACMEReply, nonce: Bool = true) -> Response {
        var headers: HTTPFields = [
            .cacheControl: "no-store", .link: "<\(service.addresses.directoryURL)>;rel=\"index\"",
        ]
        if let up = reply.up { headers[.link] = (headers[.link] ?? "") + ", <\(up)>;rel=\"up\"" }
        if nonce { headers[.replayNonce] = service.nonce() }
        if let location = reply.location { headers[.location] = location }
        if reply.status == 429 { headers[.retryAfter] = "600" }
        var body = Data()
        if let chain = reply.chain {
            headers[.contentType] = "application/pem-certificate-chain"
            body = chain
        } else if let document = reply.document {
            headers[.contentType] = reply.status < 400 ? "application/json" : "application/problem+json"
            body = document.encoded()
        }
        return Response(status: .init(code: reply.status), headers: headers, body: ResponseBody(data: body))
    }

    private func refuse(_ problem: ACMEProblem, _ context: MartletContext) -> Response {
        traffic.countRefusal()
        context.logger.notice("ACME request refused", metadata: ["rule": "\(problem)"])
        return answer(ACMEReply(status: problem.status, document: problem.json))
    }
}
