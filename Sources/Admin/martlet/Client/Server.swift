import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The administrator's API of one server.
struct Server: Sendable {
    /// A larger answer than a full page of devices is a fault.
    private static let largestAnswer = 8 * 1_024 * 1_024
    /// Long enough for a busy server; nothing the API does waits for a device.
    private static let patience = TimeAmount.seconds(30)
    /// How long an answer may be silent.
    static let longestSilence = Duration.seconds(600)
    /// A server that ended is there again, if somebody sees to that; in between is tried again what may have been done.
    private static let pauses: [Duration] = [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
    ]
    /// A list of more pages than this does not end.
    private static let mostPages = 2_000

    let address: String
    let authority: Authority
    var token: String?
    /// Earlier answers, for commands that repeat a request.
    var cache: AnswerCache?
    /// Whether a terminal shows that a request takes long.
    var showsProgress = true
    let http: HTTPClient

    /// Runs `body` with the server of the saved session.
    static func inSession<Result>(
        silence: Duration = longestSilence, _ body: (Server) async throws -> Result
    ) async throws -> Result {
        let session = try SessionFile.present.load()
        guard session.expires > Date() else {
            throw Failure(.notLoggedIn, "the session has expired", advice: Failure.logInAgain)
        }
        return try await at(
            session.server, authority: Authority(pem: session.authority), token: session.token, silence: silence
        ) { server in
            do {
                return try await body(server)
            } catch let failure as Failure {
                throw await server.suggesting(failure)
            }
        }
    }

    /// Runs `body` with a server, logged in or not.
    static func at<Result>(
        _ address: String, authority: Authority, token: String? = nil, silence: Duration = longestSilence,
        _ body: (Server) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(tlsConfiguration: authority.configuration)
        configuration.timeout = .init(connect: .seconds(10), read: .nanoseconds(Int64(silence / .nanoseconds(1))))
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(
                Server(address: address, authority: authority, token: token, cache: nil, http: http))
            try await http.shutdown()
            return result
        } catch {
            try? await http.shutdown()
            throw error
        }
    }

    // MARK: Asking

    /// What is done with a route.
    enum Method {
        case get, post, put, patch, delete

        fileprivate var http: HTTPMethod {
            switch self {
            case .get: .GET
            case .post: .POST
            case .put: .PUT
            case .patch: .PATCH
            case .delete: .DELETE
            }
        }
    }

    /// What an answer carried.
    struct Answer {
        let body: Data
        let headers: HTTPHeaders

        fileprivate var isOfRequestUnderWay: Bool {
            (try? AdminJSON.decode(Problem.self, from: body))?.code == "request-under-way"
        }

        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            do {
                return try AdminJSON.decode(type, from: body)
            } catch {
                throw Failure(
                    .failed, "the server's answer is not what this tool expects",
                    advice: "Are both of one version?")
            }
        }
    }

    func get<Value: Decodable>(_ path: String...) async throws -> Value {
        try await send(.get, path).decoded()
    }

    /// Every item of a list, page after page, or as many of the first as are asked for.
    func list<Item: Codable & Sendable>(
        _ path: String..., query filter: [(String, String)] = [], first count: Int = .max
    ) async throws -> [Item] {
        var items: [Item] = []
        var cursor: String?
        for _ in 0..<Self.mostPages {
            var query = filter + [("limit", "\(min(count - items.count, 500))")]
            if let cursor { query.append(("cursor", cursor)) }
            let page: Page<Item> = try await send(.get, path, query: query).decoded()
            items += page.items
            guard let next = page.next, items.count < count else { return items }
            cursor = next
        }
        throw Failure(.failed, "the list does not end")
    }

    func post<Value: Decodable>(_ value: some Encodable, _ path: String...) async throws -> Value {
        try await send(.post, path, body: Body(json: value)).decoded()
    }

    func put(_ value: some Encodable, _ path: String...) async throws {
        _ = try await send(.put, path, body: Body(json: value))
    }

    func delete(_ path: String...) async throws {
        _ = try await send(.delete, path)
    }

    /// Hands over an answer of any length as it comes.
    func stream(_ path: String..., to take: (Data) throws -> Void) async throws {
        var request = HTTPClientRequest(url: address + RequestPath.text(["api", "v1"] + path))
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        do {
            let response = try await http.execute(request, timeout: .hours(1))
            guard response.status == .ok else {
                let refusal = Data(buffer: try await response.body.collect(upTo: Self.largestAnswer))
                throw Failure(
                    problem: try? AdminJSON.decode(Problem.self, from: refusal), status: Int(response.status.code),
                    path: path)
            }
            for try await part in response.body { try take(Data(buffer: part)) }
        } catch {
            throw await Unreachable.explained(error, server: address)
        }
    }

    /// Exchanges what a browser brought for a session.
    func redeem(_ grant: SignInGrantRequest) async throws -> SessionAnswer {
        try await send(.post, ["session"], body: Body(json: grant), below: ["sign-in", "oidc"]).decoded()
    }

    /// What a request carries.
    struct Body {
        let bytes: Data
        let mediaType: String

        init(bytes: Data, mediaType: String) {
            self.bytes = bytes
            self.mediaType = mediaType
        }

        init(json value: some Encodable) throws {
            self.init(bytes: try AdminJSON.encode(value), mediaType: "application/json")
        }

        /// What it does not mention stays.
        init(patch: some Encodable) throws {
            self.init(bytes: try AdminJSON.encode(patch), mediaType: "application/merge-patch+json")
        }
    }

    /// Sends a piece of a file to an upload, and answers how far the upload is.
    ///
    /// `Content-Range` says which piece it is, so it has no key. If its answer is lost, the server is asked how far the
    /// upload is: that is the same answer.
    func sendPiece(
        _ bytes: Data, to path: [String], range: String, patience: TimeAmount
    ) async throws -> PackageUpload {
        let body = Body(bytes: bytes, mediaType: "application/octet-stream")
        return try await send(.put, path, body: body, headers: [("Content-Range", range)], patience: patience).decoded()
    }

    /// Sends a change, and again if its answer is lost: the key has the server make it once.
    private func insist(on request: HTTPClientRequest, _ patience: TimeAmount) async throws -> (Int, Answer) {
        guard !request.headers.contains(name: "Content-Range") else {
            return try await insist(onPiece: request, patience)
        }
        var request = request
        request.headers.add(name: "Idempotency-Key", value: UUID().uuidString)
        var isLost = false
        for pause in Self.pauses {
            do {
                let (status, answer) = try await exchange(request, patience)
                // The server may still be at what was sent before.
                guard isLost, status == 409, answer.isOfRequestUnderWay else { return (status, answer) }
            } catch {
                isLost = isLost || Unreachable.losesAnswer(error)
                guard isLost, !(error is CancellationError) else { throw error }
            }
            try await Task.sleep(for: pause)
        }
        return try await exchange(request, patience)
    }

    private func insist(onPiece piece: HTTPClientRequest, _ patience: TimeAmount) async throws -> (Int, Answer) {
        var question = HTTPClientRequest(url: piece.url)
        question.headers = piece.headers
        for name in ["Content-Range", "Content-Type"] { question.headers.remove(name: name) }
        var request = piece
        for pause in Self.pauses {
            do {
                return try await exchange(request, patience)
            } catch {
                let isLost = request.method == .GET || Unreachable.losesAnswer(error)
                guard isLost, !(error is CancellationError) else { throw error }
            }
            request = question
            try await Task.sleep(for: pause)
        }
        return try await exchange(request, patience)
    }

    private func exchange(_ request: HTTPClientRequest, _ patience: TimeAmount) async throws -> (Int, Answer) {
        let response = try await http.execute(request, timeout: patience)
        let bytes = try await response.body.collect(upTo: Self.largestAnswer)
        return (Int(response.status.code), Answer(body: Data(buffer: bytes), headers: response.headers))
    }

    /// What a request's query and its body of JSON say in one text each, by name.
    private static func members(_ query: [(String, String)], _ body: Body?) -> [String: String] {
        let object = body.flatMap { try? JSONSerialization.jsonObject(with: $0.bytes) as? [String: Any] } ?? [:]
        // Of several groups, for example, it is not known which is meant.
        let single = Dictionary(grouping: query) { $0.0 }.filter { $0.value.count == 1 }
        return object.compactMapValues { $0 as? String }.merging(single.compactMapValues { $0.first?.1 }) { $1 }
    }

    /// Sends one request below `/api/v1`; a refusal is thrown as the failure it means.
    func send(
        _ method: Method, _ path: [String], query: [(String, String)] = [], body: Body? = nil,
        headers: [(String, String)] = [], patience: TimeAmount = Self.patience, below root: [String] = ["api", "v1"]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address + RequestPath.text(root + path, query: query))
        request.method = method.http
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: body.mediaType)
            request.body = .bytes(ByteBuffer(bytes: body.bytes))
        }
        let memory = method == .get ? cache : nil
        if let tag = memory?.tag(of: request.url) { request.headers.add(name: "If-None-Match", value: tag) }
        let (status, answer) = try await Progress.during("waiting for the server", isShown: showsProgress) {
            do {
                return method == .get
                    ? try await exchange(request, patience) : try await insist(on: request, patience)
            } catch {
                throw await Unreachable.explained(error, server: address)
            }
        }
        if status == 304, let seen = memory?.answer(at: request.url) { return seen }
        guard (200..<300).contains(status) else {
            throw Failure(
                problem: try? AdminJSON.decode(Problem.self, from: answer.body), status: status, path: path,
                members: Self.members(query, body), isDeletion: method == .delete)
        }
        Self.note(method, path, query)
        memory?.keep(answer, tag: answer.headers.first(name: "ETag"), at: request.url)
        return answer
    }
}
