import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management
import StoreSQLite
import Testing

@testable import ServerHTTP

/// A change that is sent again under its key is made once and answered alike.
@Suite struct RepeatedRequestTests {
    @Test func aRepeatedRequestIsAnsweredAlikeAndDoneOnce() async throws {
        try await Self.with { admin, _ in
            let create = try AdminJSON.encode(Group(name: "teachers"))
            let token = try AdminJSON.encode(TokenRequest(name: "builds", validSeconds: 600, role: .reader))
            let app = try AdminJSON.encode(App(bundleIdentifier: "a.b", name: "A"))
            for (method, path, body) in [
                ("POST", "/groups", create), ("POST", "/tokens", token), ("PUT", "/apps/a.b", app),
                ("PUT", "/apps/a.b/configurations/main", AdminClient.configuration(title: "t")),
                ("DELETE", "/groups/teachers", nil), ("DELETE", "/apps/a.b/configurations/main", nil),
            ] as [(String, String, Data?)] {
                let headers = ["Idempotency-Key": "\(method) \(path)".replacing(" ", with: "-")]
                let before = try await Self.entries(admin)
                let first = try await admin.send(method, path, headers: headers, body: body)
                #expect((200..<300).contains(first.status), "\(method) \(path): \(first.text)")
                #expect(first.headers["idempotency-replayed"] == nil)
                let after = try await Self.entries(admin)
                #expect(after == before + 1, "\(method) \(path)")
                for _ in 0..<2 {
                    let again = try await admin.send(method, path, headers: headers, body: body)
                    #expect(again.status == first.status && again.body == first.body, "\(method) \(path)")
                    #expect(again.headers["idempotency-replayed"] == "true", "\(method) \(path)")
                    for name in ["etag", "content-type", "cache-control"] {
                        #expect(again.headers[name] == first.headers[name], "\(method) \(path) \(name)")
                    }
                }
                #expect(try await Self.entries(admin) == after, "\(method) \(path)")
            }
        }
    }

    @Test func whatChangesNothingIsNotKept() async throws {
        try await Self.with { admin, _ in
            for rule in ["os = linux", "os = ios"] {
                let body = try AdminJSON.encode(GroupPreviewRequest(rule: rule))
                let answer = try await admin.send(
                    "POST", "/groups/preview", headers: ["Idempotency-Key": "k"], body: body)
                #expect(answer.status == 200 && answer.text.contains(rule), "\(answer.text)")
                #expect(answer.headers["idempotency-replayed"] == nil)
            }
        }
    }

    /// The condition held when it was done; that it holds no more is the doing of this very request.
    @Test func aRepetitionIsNotHeldAgainstWhatItDidItself() async throws {
        try await Self.with { admin, _ in
            let body = try AdminJSON.encode(App(bundleIdentifier: "a.b", name: "A"))
            let headers = ["Idempotency-Key": "k", "If-None-Match": "*"]
            for _ in 0..<2 {
                #expect(try await admin.send("PUT", "/apps/a.b", headers: headers, body: body).status == 200)
            }
            let without = try await admin.send("PUT", "/apps/a.b", headers: ["If-None-Match": "*"], body: body)
            #expect(without.status == 412)
        }
    }

    /// Another body, path, method or condition under the same key is another request.
    @Test func aKeyBelongsToOneRequest() async throws {
        try await Self.with { admin, _ in
            let key = ["Idempotency-Key": "k"]
            func group(_ name: String) throws -> Data { try AdminJSON.encode(Group(name: name)) }
            #expect(try await admin.send("POST", "/groups", headers: key, body: group("one")).status == 201)
            for (method, path, headers, body) in [
                ("POST", "/groups", key, try group("two")), ("DELETE", "/groups/one", key, nil),
                ("PUT", "/apps/a.b", key, try group("one")),
                ("POST", "/groups", key.merging(["If-None-Match": "*"]) { $1 }, try group("one")),
                ("POST", "/groups", key.merging(["If-Match": "\"a\""]) { $1 }, try group("one")),
                ("POST", "/groups", key.merging(["Content-Range": "bytes 0-1/9"]) { $1 }, try group("one")),
                ("POST", "/groups", key.merging(["Content-Type": "application/json"]) { $1 }, try group("one")),
            ] as [(String, String, [String: String], Data?)] {
                let other = try await admin.send(method, path, headers: headers, body: body)
                #expect(other.status == 422 && other.text.contains("key-of-another-request"), "\(method) \(path)")
            }
            let groups: AdminMessages.Page<AdminMessages.Group> = try await admin.get("/groups")
            #expect(groups.items.map(\.name) == ["one"])
        }
    }

    /// What is somebody's answer is nobody else's: a key is of who sent it.
    @Test func anothersKeyIsAnotherKey() async throws {
        try await Self.with { admin, _ in
            let wish = TokenRequest(name: "program", validSeconds: 600, role: .administrator)
            let made = try await admin.send("POST", "/tokens", wish)
            let token = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
            let program = AdminClient(client: admin.client, base: admin.base, token: token)
            let code = try AdminJSON.encode(EnrollmentCodeRequest(group: "g"))
            _ = try await admin.send("POST", "/groups", Group(name: "g"))
            let headers = ["Idempotency-Key": "k", "Content-Type": "application/json"]
            let mine = try await admin.send("POST", "/enrollment-codes", headers: headers, body: code)
            let its = try await program.send("POST", "/enrollment-codes", headers: headers, body: code)
            #expect(mine.status == 201 && its.status == 201 && mine.body != its.body)
            #expect(try await admin.send("POST", "/enrollment-codes", headers: headers, body: code).body == mine.body)
        }
    }

    /// A refusal changed nothing: the same request may be sent again when it is no longer refused.
    @Test func aRefusalIsNoOutcome() async throws {
        try await Self.with { admin, _ in
            _ = try await admin.send("POST", "/groups", Group(name: "one"))
            let body = try AdminJSON.encode(Group(name: "one"))
            let headers = ["Idempotency-Key": "k"]
            #expect(try await admin.send("POST", "/groups", headers: headers, body: body).status == 409)
            #expect(try await admin.send("DELETE", "/groups/one").status == 204)
            #expect(try await admin.send("POST", "/groups", headers: headers, body: body).status == 201)
            let again = try await admin.send("POST", "/groups", headers: headers, body: body)
            #expect(again.status == 201 && again.headers["idempotency-replayed"] == "true")
        }
    }

    @Test(arguments: ["", "a b", "é", String(repeating: "a", count: 256)])
    func whatIsNoKeyIsRefused(key: String) async throws {
        try await Self.with { admin, _ in
            let body = try AdminJSON.encode(Group(name: "one"))
            let answer = try await admin.send("POST", "/groups", headers: ["Idempotency-Key": key], body: body)
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    /// While it is carried out nobody else does it, and who asks is told to wait.
    @Test func aRequestUnderWayIsNotDoneBesideItself() async throws {
        try await Self.with { admin, server in
            let body = try AdminJSON.encode(Group(name: "one"))
            let key = try #require(RequestKey("k", of: "admin"))
            let fingerprint = Self.fingerprint(key, "POST", "/groups", body)
            #expect(try await server.management.begin(key, fingerprint: fingerprint) != .underWay)
            let headers = ["Idempotency-Key": "k"]
            let answer = try await admin.send("POST", "/groups", headers: headers, body: body)
            #expect(answer.status == 409 && answer.text.contains("request-under-way"), "\(answer.text)")
            #expect(answer.headers["retry-after"] == "1")
            #expect(try await server.management.end(key))
            #expect(try await admin.send("POST", "/groups", headers: headers, body: body).status == 201)
        }
    }

    /// A server that ended between the change and its answer: the next one does it no second time, and answers what can be known.
    @Test func anAnswerThatWasLostIsMadeUpForWhereThatCanBe() async throws {
        try await Self.with { admin, server in
            _ = try await admin.send("POST", "/groups", Group(name: "gone"))
            let app = try AdminJSON.encode(App(bundleIdentifier: "a.b", name: "A"))
            let group = try AdminJSON.encode(Group(name: "one"))
            for (method, path, body, expected) in [
                ("PUT", "/apps/a.b", app, 200), ("DELETE", "/groups/gone", nil, 204),
                ("POST", "/groups", group, 409),
            ] as [(String, String, Data?, UInt)] {
                let key = try #require(RequestKey(path, of: "admin"))
                let mark = RequestMark(digest: key.digest, life: Data("an earlier life".utf8))
                let begun = BegunRequest(
                    mark: mark, principal: "admin", fingerprint: Self.fingerprint(key, method, path, body ?? Data()),
                    now: Date())
                #expect(try await server.store.beginRequest(begun) == .begun)
                try await RequestMark.$current.withValue(mark) {
                    switch method {
                    case "PUT":
                        let record = AppRecord(bundleIdentifier: "a.b", name: "A", teamIdentifier: nil)
                        _ = try await server.management.putApp(record, author: "admin")
                    case "DELETE": _ = try await server.management.removeGroup(named: "gone", author: "admin")
                    default: _ = try await server.management.createGroup(named: "one", rule: nil, author: "admin")
                    }
                }
                let entries = try await Self.entries(admin)
                let answer = try await admin.send(method, path, headers: ["Idempotency-Key": path], body: body)
                #expect(answer.status == expected, "\(method) \(path): \(answer.text)")
                if expected == 409 {
                    #expect(answer.text.contains("answer-lost"))
                } else {
                    #expect(answer.headers["idempotency-replayed"] == "true")
                }
                if method == "PUT" { #expect(answer.text.contains("\"a.b\"")) }
                #expect(try await Self.entries(admin) == entries, "\(method) \(path)")
            }
        }
    }

    // MARK: help

    private static func with(_ test: (AdminClient, TestServer) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in try await test(admin, server) }
        }
    }

    /// How much was done.
    private static func entries(_ admin: AdminClient) async throws -> Int {
        let newest: AdminMessages.Page<AdminMessages.AuditEntry> = try await admin.get("/audit?limit=1")
        return newest.items.first?.sequence ?? 0
    }

    private static func fingerprint(_ key: RequestKey, _ method: String, _ path: String, _ body: Data) -> Data {
        let head = HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get, scheme: nil, authority: nil, path: AdminAPI.prefix + path)
        return IdempotencyKey.fingerprint(key, Request(head: head, body: RequestBody(buffer: .init())), body)
    }
}
