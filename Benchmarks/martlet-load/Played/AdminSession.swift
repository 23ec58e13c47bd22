import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The session that `martlet login` left.
struct AdminSession: Sendable, Decodable {
    let server: String
    let authority: String
    let token: String

    init(path: String?) throws {
        let path = path ?? ProcessInfo.processInfo.environment["MARTLET_SESSION"]
        guard let path, let bytes = FileManager.default.contents(atPath: path) else {
            throw LoadFailure("there is no session: give --session, or --profiles")
        }
        self = try JSONDecoder().decode(AdminSession.self, from: bytes)
    }

    /// Sends one request below `/api/v1`; a conflict means that it is already so.
    func send(
        _ method: HTTPMethod, _ path: String, body: Data? = nil, mediaType: String = "application/json",
        over http: HTTPClient
    ) async throws -> Data {
        var request = HTTPClientRequest(url: server + "/api/v1" + path)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let body {
            request.headers.add(name: "Content-Type", value: mediaType)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await http.execute(request, timeout: .seconds(60))
        let answer = Data(buffer: try await response.body.collect(upTo: 1_048_576))
        guard (200..<300).contains(response.status.code) || response.status == .conflict else {
            throw LoadFailure("the API answered \(method) \(path) with \(response.status.code)")
        }
        return answer
    }
}

extension ServerTrust {
    /// A client for enrolment and the API; `body` has it for itself.
    func withClient<Result>(_ body: (HTTPClient) async throws -> Result) async throws -> Result {
        var configuration = HTTPClient.Configuration(tlsConfiguration: try self.configuration())
        configuration.timeout = .init(connect: .seconds(10), read: .seconds(60))
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(http)
            try await http.shutdown()
            return result
        } catch {
            try? await http.shutdown()
            throw error
        }
    }
}
