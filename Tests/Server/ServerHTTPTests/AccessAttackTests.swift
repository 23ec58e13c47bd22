import AdminMessages
import CertificateAuthority
import Foundation
import InputBounds
import NIOCore
import ServerHTTP
import TestLog
import Testing

/// What people try who have no right to the administrator's API, at every one of its routes.
@Suite struct AccessAttackTests {
    private static let open: Set = ["logIn", "describe", "showReference"]

    /// What is forged, cut, altered, borrowed, expired or used again opens nothing; each time it is counted and logged,
    /// and what was shown is in no line of the log.
    @Test func whatIsNoTokenOpensNothing() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let ended = try await Self.logIn(admin)
                _ = try await admin.send("DELETE", "/sessions")
                let short = try await Self.makeToken("short", seconds: 60, admin)
                let revoked = try await Self.makeToken("revoked", seconds: 600, admin)
                _ = try await admin.send("DELETE", "/tokens/\(revoked.summary.id)")
                let live = try await Self.makeToken("live", seconds: 600, admin).token
                clock.advance(by: 61)
                let own = admin.token
                let headers: [String?] = [
                    nil, "", "Bearer", "Bearer ", "Basic \(own)", "\(own)", "Bearer \(own.dropLast())",
                    "Bearer \(own)a", "Bearer \(own.uppercased())", "Bearer  \(own)", "Bearer \(own) \(own)",
                    "Bearer \(own), Bearer \(own)", "Bearer \(own)%00",
                    "Bearer \(String(repeating: "a", count: 52))", "Bearer \(ended)", "Bearer \(short.token)",
                    "Bearer \(revoked.token)", "Bearer \(live.dropLast())", "Bearer \(live)a",
                    "Bearer martlet_\(String(repeating: "a", count: 40))", "Bearer \(live.dropFirst(8))",
                    "Bearer \(String(repeating: "a", count: 4_000))",
                ]
                let before = server.server.refusals(.notLoggedIn)
                var count = 0
                for operation in try await AdminOperation.all(admin) where !Self.open.contains(operation.name) {
                    for header in headers {
                        let answer = try await admin.client.send(
                            operation.method, admin.base + operation.filled,
                            headers: header.map { ["Authorization": $0] } ?? [:], body: operation.body)
                        #expect(answer.status == 401, "\(operation.name)")
                        #expect(answer.headers["www-authenticate"] != nil && answer.text.contains("not-logged-in"))
                        count += 1
                    }
                }
                #expect(server.server.refusals(.notLoggedIn) == before + count)
                let lines = server.log.all.filter { $0.contains("access refused") }
                #expect(lines.count == count && lines.allSatisfy { $0.contains("127.0.0.1") })
                for secret in [own, ended, short.token, revoked.token, live] {
                    #expect(!server.log.all.contains { $0.contains(secret) })
                }
                #expect(try await admin.send("GET", "/groups").status == 200, "the real one works on")
            }
        }
    }

    /// Two headers of one name are not one of them.
    @Test func twoAuthorizationsAreNone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let authorization = "Authorization: Bearer \(admin.token)\r\n"
                for headers in [authorization + authorization, "Authorization: Bearer x\r\n" + authorization] {
                    let answer = try await Self.raw(server, "GET /api/v1/groups HTTP/1.1\r\nHost: a\r\n\(headers)")
                    #expect(answer.hasPrefix("HTTP/1.1 401"), "\(answer.prefix(40))")
                }
                let one = try await Self.raw(server, "GET /api/v1/groups HTTP/1.1\r\nHost: a\r\n\(authorization)")
                #expect(one.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    /// A session is the server's to name: what somebody sends along at the log-in is not what they are then known by.
    @Test func aSessionCannotBeFixed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let chosen = String(repeating: "a", count: 52)
                let body = Data(
                    #"{"name":"admin","password":"\#(AdminClient.password)","token":"\#(chosen)"}"#.utf8)
                for headers in [
                    ["Authorization": "Bearer \(chosen)"], ["Authorization": "Bearer \(admin.token)"],
                    ["Cookie": "__Host-martlet=\(chosen)"],
                ] {
                    let answer = try await admin.client.send(
                        "POST", admin.base + "/session", headers: headers, body: body)
                    #expect(answer.status == 422, "\(answer.text)")
                    let plain = try AdminJSON.encode(SessionRequest(name: "admin", password: AdminClient.password))
                    let accepted = try await admin.client.send(
                        "POST", admin.base + "/session", headers: headers, body: plain)
                    let opened = try AdminJSON.decode(SessionAnswer.self, from: accepted.body).token
                    #expect(![chosen, admin.token].contains(opened))
                }
                let fixed = AdminClient(client: admin.client, base: admin.base, token: chosen)
                #expect(try await fixed.send("GET", "/groups").status == 401)
            }
        }
    }

    /// In the place of every parameter of every path: nothing leads elsewhere, nothing breaks the server or its answer.
    @Test func noParameterOfAPathLeadsOut() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let texts = [
                    "..", "%2e%2e", "%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..%5c", "%00", "x%00y", "%ff%fe",
                    "%252e%252e%252f", "a%0d%0aX-Injected:%20yes", "%27%20OR%201=1--", "%2f", "*", "%",
                    String(repeating: "a", count: 8_000),
                ]
                let operations = try await AdminOperation.all(admin).filter { $0.path.contains("{") }
                for operation in operations {
                    for text in texts {
                        let answer = try await admin.send(
                            operation.method, operation.filled(by: text), body: operation.body)
                        #expect(answer.status < 500, "\(operation.name) \(text): \(answer.text)")
                        #expect(answer.headers["x-injected"] == nil && !answer.text.contains("root:"))
                    }
                }
            }
        }
    }

    /// Whose app and group it is follows from the path as it is read, not from how it is written.
    @Test func noSpellingOfAPathReachesAnothersApp() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "theirs"))
                let wish = TokenRequest(
                    name: "mine", validSeconds: 600, role: .appOwner, apps: ["a.b"], groups: ["g"])
                let made = try await admin.send("POST", "/tokens", wish)
                let text = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
                let program = AdminClient(client: admin.client, base: admin.base, token: text)
                for path in [
                    "/apps/org.swift.landmarks", "/apps/a.b/../org.swift.landmarks",
                    "/apps/a.b%2f..%2forg.swift.landmarks",
                    "/apps/./org.swift.landmarks", "//apps/org.swift.landmarks", "/apps//org.swift.landmarks",
                    "/apps/org%2eswift%2elandmarks", "/apps/org.swift.landmarks%00", "/apps/org.swift.landmarks;a.b",
                    "/apps/org.swift.landmarks?app=a.b",
                ] {
                    let parts = path.split(separator: "?", omittingEmptySubsequences: false)
                    let full = parts[0] + "/configurations/default" + (parts.count > 1 ? "?\(parts[1])" : "")
                    let answer = try await program.send("GET", String(full))
                    #expect([400, 403, 404].contains(answer.status), "\(path): \(answer.status)")
                    #expect(!answer.text.contains("theirs"))
                }
            }
        }
    }

    /// Requests that two readers would read in two ways are refused, and nothing of a header comes back as one.
    @Test(arguments: [
        "GET /api/v1/groups HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n b\r\n",
        "GET /api/v1/groups HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n",
        "GET /api/v1/groups HTTP/1.1\r\nHost: a\r\nX : a\r\n",
        "POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n",
        "POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n",
        "GET /api/v1/groups\r\nX-Injected: yes HTTP/1.1\r\nHost: a\r\n",
        "GET /api/v1/groups%0d%0aX-Injected:%20yes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
    ]) func aRequestThatCanBeReadInTwoWaysIsRefused(_ head: String) async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await Self.raw(server, head)
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(60))")
            #expect(!answer.lowercased().contains("\r\nx-injected"))
        }
    }

    /// Whoever is not logged in cannot make the server take in a large body; whoever is, not one beyond its bound.
    @Test func aBodyIsNotTakenFromStrangers() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let large = Data(count: 5 << 20)
                for operation in try await AdminOperation.all(admin) where operation.method != "GET" {
                    let stranger = AdminClient(client: admin.client, base: admin.base, token: "x")
                    let expected: UInt = operation.name == "logIn" ? 413 : 401
                    let answer = try? await stranger.send(operation.method, operation.filled, body: large)
                    #expect(answer.map { $0.status == expected } ?? true, "\(operation.name)")
                }
                for (method, path) in [("POST", "/groups"), ("POST", "/tokens"), ("POST", "/session")] {
                    let answer = try await admin.send(method, path, body: Data(count: 3 << 20))
                    #expect(answer.status == 413, "\(path)")
                }
            }
        }
    }

    /// A session that sends its body a byte at a time ends, whether it is one of an administrator or of nobody.
    @Test func aTrickledBodyEnds() async throws {
        var limits = ServerLimits.patient
        limits.requestRead = .milliseconds(400)
        try await TestServer.run(limits: limits) { (server) async throws in
            for path in ["session", "groups"] {
                _ = try await RawConnection.exchange(
                    port: server.port, tls: true, authority: server.authority.certificateDER,
                    Array("POST /api/v1/\(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{".utf8),
                    trickle: UInt8(ascii: "a"))
            }
        }
    }

    /// Whoever signs out everywhere has one session left, and then none; a token ends by being revoked.
    @Test func signingOutEverywhereEndsEverySession() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                var others: [AdminClient] = []
                for _ in 0..<3 {
                    others.append(
                        AdminClient(client: admin.client, base: admin.base, token: try await Self.logIn(admin)))
                }
                #expect(try await admin.send("DELETE", "/sessions").status == 204)
                for other in others { #expect(try await other.send("GET", "/session").status == 401) }
                #expect(try await admin.send("DELETE", "/session").status == 204)
                #expect(try await admin.send("DELETE", "/session").status == 401, "used again")
            }
        }
    }

    /// Guessing becomes slow, and is counted.
    @Test func guessesAreThrottledAndCounted() async throws {
        try await TestServer.run(clock: TestClock(stands: true)) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let guess = try AdminJSON.encode(SessionRequest(name: "admin", password: "a guess of somebody"))
                for _ in 0..<5 {
                    #expect(try await admin.client.send("POST", admin.base + "/session", body: guess).status == 401)
                }
                let answer = try await admin.client.send("POST", admin.base + "/session", body: guess)
                #expect(answer.status == 429 && answer.headers["retry-after"] == "1")
                #expect(server.server.refusals(.wrongNameOrPassword) == 5 && server.server.refusals(.throttled) == 1)
                #expect(!server.log.all.contains { $0.contains("a guess of somebody") })
                _ = try await admin.send(
                    "PUT", "/session/password", PasswordChange(old: "wrong", new: "a long password"))
                #expect(server.server.refusals(.throttled) + server.server.refusals(.wrongPassword) == 2)
            }
        }
    }

    // MARK: help

    private static func logIn(_ admin: AdminClient) async throws -> String {
        let opened = try await admin.send(
            "POST", "/session", SessionRequest(name: "admin", password: AdminClient.password))
        return try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
    }

    private static func makeToken(_ name: String, seconds: Int, _ admin: AdminClient) async throws -> TokenAnswer {
        let made = try await admin.send(
            "POST", "/tokens", TokenRequest(name: name, validSeconds: seconds, role: .administrator))
        try #require(made.status == 201, "\(made.text)")
        return try AdminJSON.decode(TokenAnswer.self, from: made.body)
    }

    /// What the server answers to a head that a test writes.
    private static func raw(_ server: TestServer, _ head: String) async throws -> String {
        let bytes = try await RawConnection.exchange(
            port: server.port, tls: true, authority: server.authority.certificateDER,
            Array((head + (head.contains("Connection:") ? "" : "Connection: close\r\n") + "\r\n").utf8))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// An operation of the API, as its document describes it.
struct AdminOperation: Sendable {
    let method: String
    let path: String
    let name: String

    var body: Data? { method == "GET" ? nil : Data("{}".utf8) }
    var filled: String { filled(by: "x") }

    func filled(by text: String) -> String {
        path.replacing(/\{[a-zA-Z0-9]+\}/) { _ in text }
    }

    static func all(_ admin: AdminClient) async throws -> [AdminOperation] {
        let answer = try await admin.send("GET", "/openapi.json")
        let document = try JSONValue(parsing: answer.body, limits: .adminBody)
        let paths = try #require(document["paths"]?.object)
        let found = paths.flatMap { path, methods in
            (methods.object ?? [:]).compactMap { method, operation in
                operation["operationId"]?.string.map {
                    AdminOperation(method: method.uppercased(), path: path, name: $0)
                }
            }
        }
        try #require(found.count > 70)
        return found.sorted { $0.name < $1.name }
    }
}
