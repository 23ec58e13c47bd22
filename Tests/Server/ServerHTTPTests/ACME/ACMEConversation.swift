import ACME
import AsyncHTTPClient
import Foundation
import InputBounds
import Testing

/// A client of ACME that keeps every rule of RFC 8555 but the one that a test breaks.
struct ACMEConversation {
    let server: TestServer
    let http: HTTPClient
    let key = AccountKey.generate()
    /// That for apps' identities, unless a test says otherwise.
    var entrance = "/acme"

    static func with(_ test: (ACMEConversation) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { client in
                try await test(ACMEConversation(server: server, http: client))
            }
        }
    }

    func url(_ place: String) -> String { server.baseURL + entrance + place }

    func nonce() async throws -> String {
        let answer = try await http.send("HEAD", url("/new-nonce"))
        return try #require(answer.headers["replay-nonce"])
    }

    /// Opens the account of a key, or finds it; its URL.
    func account(_ payload: JSONValue = .object([:]), by key: AccountKey? = nil) async throws -> String {
        let answer = try await post(url("/new-account"), payload, by: key)
        return try #require(answer.headers["location"], "\(answer.text)")
    }

    /// Posts to a URL, signed by an account or by the key itself; no payload is POST-as-GET, no nonce is a fresh one.
    func post(
        _ url: String, _ payload: JSONValue?, account: String? = nil, by key: AccountKey? = nil,
        type: String? = ACMEHTTPRequest.contentType, nonce given: String? = nil
    ) async throws -> Answer {
        let fresh: String
        if let given { fresh = given } else { fresh = try await nonce() }
        let body = try SignedRequest.sign(
            payload: payload, url: url, nonce: fresh, account: account, key: key ?? self.key)
        return try await http.send("POST", url, headers: type.map { ["content-type": $0] } ?? [:], body: body)
    }
}

extension Answer {
    func json() throws -> JSONValue { try JSONValue(parsing: body, limits: .adminBody) }

    /// The last part of an ACME problem's type, after its media type, status and nonce are looked at.
    func problem() throws -> String {
        let document = try json()
        #expect(headers["content-type"] == "application/problem+json")
        #expect(document["status"] == .integer(Int64(status)))
        #expect(headers["replay-nonce"] != nil)
        #expect(headers["link"]?.hasSuffix("/directory>;rel=\"index\"") == true)
        return ACMEServerProblem(document).code
    }
}
