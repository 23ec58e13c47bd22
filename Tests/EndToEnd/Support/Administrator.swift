import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL
import Waiting

/// The administrator's API over an open connection: an operation takes milliseconds, so that a crash can fall into it.
struct Administrator: Sendable {
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private let http: HTTPClient
    private let base: String
    private let token: String

    /// Runs `body` as the administrator who is logged in on `road`.
    static func with(_ road: Road, _ body: (Administrator) async throws -> Void) async throws {
        struct Session: Decodable { let token: String }
        let file = try Data(contentsOf: road.home.appending(path: "session.json"))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(road.authority)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout = .init(connect: .seconds(60), read: .seconds(240))
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let administrator = Administrator(
            http: http, base: road.url, token: try JSONDecoder().decode(Session.self, from: file).token)
        do {
            try await body(administrator)
        } catch {
            try? await http.shutdown()
            throw error
        }
        try await http.shutdown()
    }

    /// Sends once.
    ///
    /// A server that is gone is a thrown error of the connection, a refusal is `Refused`.
    @discardableResult
    func send(
        _ method: String, _ path: String, _ body: Data? = nil, type: String = "application/json"
    ) async throws -> Data {
        let response = try await ask(method, "/api/v1" + path, body, type: type)
        let answer = Data(buffer: try await response.body.collect(upTo: 4 << 20))
        guard (200..<300).contains(response.status.code) else {
            throw Refused(description: "\(method) \(path): \(response.status.code)")
        }
        return answer
    }

    /// What the server answers at any of its paths, refusals included.
    func ask(
        _ method: String, _ path: String, _ body: Data?, type: String, headers: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: base + path)
        request.method = .RAW(value: method)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return try await http.execute(request, timeout: .seconds(240))
    }

    /// Sends until there is an answer: what is sent may be repeated.
    @discardableResult
    func insist(
        _ method: String, _ path: String, _ body: Data? = nil, type: String = "application/json"
    ) async throws -> Data {
        var last = ""
        return try await eventually("an answer to \(method) \(path), but \(last)") { () -> Data? in
            do {
                return try await send(method, path, body, type: type)
            } catch let refused as Refused {
                throw refused
            } catch {
                last = "\(error)"
                return nil
            }
        }
    }

    func get<Value: Decodable>(_ path: String, _ type: Value.Type = Value.self) async throws -> Value {
        try AdminJSON.decode(type, from: try await insist("GET", path))
    }
}
