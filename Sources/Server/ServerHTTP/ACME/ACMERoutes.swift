import ACME
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import NIOCore
import NIOHTTP1

/// An entrance by RFC 8555, for devices that were handed a client identifier.
struct ACMERoutes: Sendable {
    private typealias Step = @Sendable (ACMECall) async throws -> ACMEReply

    private static let orders = "/account/{id}/orders"

    /// Of the entrance, such as `/acme`.
    let path: String
    let service: ACMEService
    let baseURL: String
    let traffic: Traffic

    func add(to router: Router<MartletContext>) {
        for method in [HTTPRequest.Method.get, .head] {
            router.on(RouterPath(path + "/directory"), method: method) { _, _ in
                answer(ACMEReply(document: service.addresses.directory.json), nonce: false)
            }
        }
        router.head(RouterPath(path + "/new-nonce")) { _, _ in answer(ACMEReply()) }
        router.get(RouterPath(path + "/new-nonce")) { _, _ in answer(ACMEReply(status: 204)) }
        post("/directory", to: router) { try service.directory($0) }
        post("/new-nonce", to: router) { try service.newNonce($0) }
        router.post(RouterPath(path + "/new-account")) { request, context in
            try await perform(request, context, at: "/new-account") {
                try await service.newAccount($0, peer: context.peer)
            }
        }
        refuseGET("/new-account", to: router)
        add("/account/{id}", to: router) { try await service.account($0) }
        add(Self.orders, to: router) { try await service.orders($0) }
        add("/key-change", to: router) { try await service.changeKey($0) }
        add("/new-order", to: router) { try await service.newOrder($0) }
        add("/order/{id}", to: router) { try await service.order($0) }
        add("/order/{id}/finalize", to: router) { try await service.finalize($0) }
        add("/authorization/{id}", to: router) { try await service.authorization($0) }
        add("/challenge/{id}", to: router) { try await service.challenge($0) }
        add("/certificate/{id}", to: router) { try await service.certificate($0) }
        add("/revoke-cert", to: router) { try await service.revoke($0) }
    }

    /// A resource that is asked for with a signed POST alone.
    private func add(_ place: String, to router: Router<MartletContext>, _ step: @escaping Step) {
        post(place, to: router, step)
        refuseGET(place, to: router)
    }

    private func post(_ place: String, to router: Router<MartletContext>, _ step: @escaping Step) {
        router.post(RouterPath(path + place)) { request, context in
            try await perform(request, context, at: place, step)
        }
    }

    /// RFC 8555 §6.3: the directory and new nonces alone are for everybody to read.
    private func refuseGET(_ place: String, to router: Router<MartletContext>) {
        for method in [HTTPRequest.Method.get, .head] {
            router.on(RouterPath(path + place), method: method) { _, context in
                let problem = ACMEProblem(
                    .malformed, "This resource is asked for with a signed POST; to read it, with an empty payload.",
                    status: 405)
                return refuse(problem, context, headers: [.allow: "POST"])
            }
        }
    }

    private func perform(
        _ request: Request, _ context: MartletContext, at place: String, _ step: Step
    ) async throws -> Response {
        do {
            guard request.headers[.contentType].map(RequestForm.mediaType) == ACMEHTTPRequest.contentType else {
                throw ACMEProblem(.malformed, "A request has the media type application/jose+json.", status: 415)
            }
            let body = try await request.bytes(upTo: SignedRequest.sizeLimit)
            let id = context.parameters.get("id") ?? ""
            let cursor = request.uri.queryParameters["after"].map(String.init)
            let call = try await service.open(
                body, url: url(of: place, asked: request, id: id, cursor: cursor), id: id, cursor: cursor ?? "",
                peer: context.peer)
            let reply = try await step(call)
            if let note = reply.note { context.logger.notice("attestation refused", metadata: ["rule": "\(note)"]) }
            return answer(reply)
        } catch let problem as ACMEProblem {
            return refuse(problem, context)
        } catch let conflict as ACMEKeyConflict {
            return refuse(conflict.problem, context, headers: [.location: conflict.account])
        } catch {
            // The connection's own parser ends the connection.
            if error is HTTPParserError { throw error }
            let problem = HTTPProblem(answering: error, context.logger)
            return answer(
                ACMEReply(status: Int(problem.status.code), document: ACMEProblem(problem).json),
                headers: problem.headers)
        }
    }

    /// The URL that was asked, if it is the one that this server gives the resource: a URL that a client made up of it, with
    /// a query or another slash, is none of a resource (RFC 8555 §6.4).
    private func url(of place: String, asked request: Request, id: String, cursor: String?) -> String? {
        var own = path + place.replacing("{id}", with: id)
        if place == Self.orders, let cursor { own += "?after=\(cursor)" }
        let asked = request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
        return asked == own ? baseURL + asked : nil
    }

    private func answer(_ reply: ACMEReply, nonce: Bool = true, headers more: HTTPFields = [:]) -> Response {
        var headers: HTTPFields = [
            .cacheControl: "no-store", .link: "<\(service.addresses.directoryURL)>;rel=\"index\"",
        ]
        if let up = reply.up { headers[.link] = (headers[.link] ?? "") + ", <\(up)>;rel=\"up\"" }
        if let next = reply.next { headers[.link] = (headers[.link] ?? "") + ", <\(next)>;rel=\"next\"" }
        if nonce { headers[.replayNonce] = service.nonce() }
        if let location = reply.location { headers[.location] = location }
        var body = Data()
        if let chain = reply.chain {
            headers[.contentType] = "application/pem-certificate-chain"
            body = chain
        } else if let document = reply.document {
            headers[.contentType] = reply.status < 400 ? "application/json" : "application/problem+json"
            body = document.encoded()
        }
        for field in more { headers[field.name] = field.value }
        return Response(status: .init(code: reply.status), headers: headers, body: ResponseBody(data: body))
    }

    private func refuse(
        _ problem: ACMEProblem, _ context: MartletContext, headers: HTTPFields = [:]
    ) -> Response {
        traffic.countRefusal()
        context.logger.notice("ACME request refused", metadata: ["rule": "\(problem)"])
        var headers = headers
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        return answer(ACMEReply(status: problem.status, document: problem.json), headers: headers)
    }
}

extension ACMEProblem {
    /// What every entrance may answer, in ACME's words: a body too large, a server too busy, a clock that is wrong.
    fileprivate init(_ problem: HTTPProblem) {
        let code: Code =
            switch problem.status.code {
            case 429: .rateLimited
            case 400..<500: .malformed
            default: .serverInternal
            }
        let detail = [problem.title, problem.detail].compactMap { $0 }.joined(separator: ": ")
        self.init(code, detail, status: Int(problem.status.code))
    }
}
