import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management
import NIOCore
import NIOFoundationCompat

/// Requests that may be sent again: `Idempotency-Key` names one, and what it changes is changed once.
extension AdminAPI {
    typealias Serve = @Sendable (AdminCall) async throws -> Response

    /// Serves a call, or repeats what the same one with the same key was answered.
    func once(_ call: AdminCall, _ twin: AdminRoute?, _ serve: Serve) async throws -> Response {
        guard call.route.takesKey, let text = call.request.headers[IdempotencyKey.field] else {
            return try await serve(call)
        }
        guard let key = RequestKey(text, of: call.session.administrator) else { throw HTTPProblem.keyIsNone }
        var call = call
        let body = try await call.request.bytes(upTo: mostBytes(of: call.route))
        call.request.body = RequestBody(buffer: ByteBuffer(data: body))
        switch try await management.begin(key, fingerprint: IdempotencyKey.fingerprint(key, call.request, body)) {
        case .first(let mark):
            return try await first(call, key) { call in
                try await RequestMark.$current.withValue(mark) { try await serve(call) }
            }
        case .repeated(let kept): return try KeptAnswer(kept).response
        case .unanswered: return try await unanswered(call, twin)
        case .underWay: throw HTTPProblem.underWay
        case .another: throw HTTPProblem.keyOfAnother
        }
    }

    /// What succeeds is kept, and so is a refusal after a change; any other leaves no trace and may be tried again.
    private func first(_ call: AdminCall, _ key: RequestKey, _ serve: Serve) async throws -> Response {
        let answer: KeptAnswer
        do {
            answer = try await KeptAnswer(serve(call))
        } catch {
            guard try await !management.end(key), let problem = error as? HTTPProblem else { throw error }
            answer = try await KeptAnswer(problem.response)
        }
        try await management.keep(answer.encoded(), to: key)
        return answer.first
    }

    /// The server ended between the change and its answer: what can be said is what is there now, or that it was done.
    private func unanswered(_ call: AdminCall, _ twin: AdminRoute?) async throws -> Response {
        let route = call.route
        var response = Response(status: route.status)
        if route.answer != .nothing {
            guard let twin, twin.answer == route.answer, case .session(let serve) = twin.service else {
                throw HTTPProblem.answerLost
            }
            do {
                response = try await serve(call)
            } catch let problem as HTTPProblem where problem.status == .notFound {
                throw HTTPProblem.answerLost
            }
        }
        response.headers[IdempotencyKey.replayed] = "true"
        return response
    }

    func mostBytes(of route: AdminRoute) -> Int {
        switch route.body {
        case nil: limits.adminBodyBytes
        default: max(limits.adminBodyBytes, limits.configurationBytes, limits.tableBytes)
        }
    }
}

/// How a request with a key says so, and its answer that it is not the first.
enum IdempotencyKey {
    static let field = HTTPField.Name.idempotencyKey
    static let replayed = HTTPField.Name.idempotencyReplayed

    /// Whatever a route looks at makes another request.
    static func fingerprint(_ key: RequestKey, _ request: Request, _ body: Data) -> Data {
        let headers: [HTTPField.Name] = [.contentType, .contentRange, .ifMatch, .ifNoneMatch]
        return key.fingerprint(
            of: [Data(request.method.rawValue.utf8), Data(request.uri.string.utf8)]
                + headers.map { Data((request.headers[$0] ?? "").utf8) } + [body])
    }
}

/// An answer as it is kept and given again.
private struct KeptAnswer: Codable {
    private let status: Int
    private let headers: [String: String]
    private let body: Data

    init(_ response: Response) async throws {
        let collected = CollectedBody()
        try await response.body.write(collected)
        status = response.status.code
        headers = Dictionary(response.headers.map { ($0.name.canonicalName, $0.value) }) { first, _ in first }
        body = Data(buffer: collected.buffer)
    }

    init(_ kept: Data) throws {
        self = try PropertyListDecoder().decode(Self.self, from: kept)
    }

    func encoded() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }

    /// As it is given the first time.
    var first: Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return Response(status: .init(code: status), headers: fields, body: ResponseBody(data: body))
    }

    var response: Response {
        var response = first
        response.headers[IdempotencyKey.replayed] = "true"
        return response
    }
}

extension HTTPProblem {
    fileprivate static let keyIsNone = HTTPProblem(
        .badRequest, "invalid", "An Idempotency-Key is 1 to 255 visible characters of ASCII")
    fileprivate static let underWay = HTTPProblem(
        .conflict, "request-under-way", "The request with this Idempotency-Key is being carried out",
        headers: [.retryAfter: "1"])
    fileprivate static let keyOfAnother = HTTPProblem(
        .unprocessableContent, "key-of-another-request", "This Idempotency-Key was given to another request")
    fileprivate static let answerLost = HTTPProblem(
        .conflict, "answer-lost", "The request was carried out, but its answer was lost",
        detail: "The server ended before it kept the answer. Look at what is there now; a new key would do it again.")
}
