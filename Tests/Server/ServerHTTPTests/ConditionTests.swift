import AdminMessages
import Foundation
import Testing

/// Changes that hold only for what their author saw.
@Suite struct ConditionTests {
    /// Whatever has an address can be made so that nobody else's is replaced, and changed so that nobody else's is lost.
    @Test func aChangeHoldsForWhatWasSeenAlone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let specification = Data(
                    #"{"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "properties": {}}"#.utf8)
                let secret = SecretRequest.password(PasswordSecret(password: "p"))
                #expect(try await admin.send("PUT", "/secrets/wifi", secret).status == 200)
                let given = AdminMessages.SecretAssignmentRequest(secret: "wifi")
                let bodies: [(path: String, body: Data)] = [
                    (
                        "/apps/com.example.new",
                        try AdminJSON.encode(App(bundleIdentifier: "com.example.new", name: "A"))
                    ),
                    ("/apps/org.swift.landmarks/specifications/1.0", specification),
                    (
                        "/apps/org.swift.landmarks/sources/linux/installed",
                        try AdminJSON.encode(AppSourceRequest(install: "required"))
                    ),
                    ("/assignments/teachers/com.example.new", try AdminJSON.encode(AssignmentRequest())),
                    (
                        "/secret-assignments/teachers/org.swift.landmarks/password/p", try AdminJSON.encode(given)
                    ),
                    (
                        "/expected-devices/SN-1",
                        try AdminJSON.encode(ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true))
                    ),
                    ("/apps/org.swift.landmarks/configurations/new", AdminClient.configuration(title: "new")),
                    ("/secrets/new", try AdminJSON.encode(secret)),
                ]
                for (path, body) in bodies {
                    func put(_ headers: [String: String]) async throws -> UInt {
                        try await admin.send("PUT", path, headers: headers, body: body).status
                    }
                    #expect(try await put(["If-Match": "\"anything\""]) == 412, "\(path): nothing is there")
                    #expect(try await put(["If-None-Match": "*"]) < 300, "\(path)")
                    #expect(try await put(["If-None-Match": "*"]) == 412, "\(path): it is there")
                    let seen = try #require(try await admin.send("GET", path).headers["etag"], "\(path)")
                    #expect(try await put(["If-Match": "\"anything\""]) == 412, "\(path)")
                    // Strong comparison, RFC 9110 §13.1.1: a weak tag never matches.
                    for weak in ["W/\(seen)", "\"anything\", W/\(seen)", "\"a,*,b\"", String(seen.dropLast(2)) + "\""] {
                        #expect(try await put(["If-Match": weak]) == 412, "\(path): \(weak)")
                    }
                    #expect(try await put(["If-Match": "W/\(seen), \(seen)"]) < 300, "\(path): one of several")
                    let next = try #require(try await admin.send("GET", path).headers["etag"], "\(path)")
                    for tag in [next, "W/\(next)", "\"anything\", W/\(next)"] {
                        let again = try await admin.send("GET", path, headers: ["If-None-Match": tag])
                        #expect(again.status == 304, "\(path): \(tag)")
                    }
                    #expect(try await put(["If-Match": next]) < 300, "\(path)")
                }
                for (path, _) in bodies.reversed() {
                    let stale = try await admin.send("DELETE", path, headers: ["If-Match": "\"anything\""])
                    #expect(stale.status == 412, "\(path)")
                    let seen = try #require(try await admin.send("GET", path).headers["etag"])
                    let weak = try await admin.send("DELETE", path, headers: ["If-Match": "W/\(seen)"])
                    #expect(weak.status == 412, "\(path)")
                    let gone = try await admin.send("DELETE", path, headers: ["If-Match": seen])
                    #expect(gone.status == 204, "\(path): \(gone.text)")
                }
            }
        }
    }

    /// Whoever looks and changes at the same moment as another one is told as well as who comes later.
    @Test func ofTwoAtTheSameMomentOneIsTold() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let path = "/apps/com.example.new"
                @Sendable func put(_ name: String, _ headers: [String: String]) async throws -> UInt {
                    let app = App(bundleIdentifier: "com.example.new", name: name)
                    return try await admin.send("PUT", path, headers: headers, body: AdminJSON.encode(app)).status
                }
                for round in 0..<20 {
                    let seen = try await admin.send("GET", path).headers["etag"]
                    let headers = seen.map { ["If-Match": $0] } ?? ["If-None-Match": "*"]
                    let statuses = try await withThrowingTaskGroup(of: UInt.self) { group in
                        for writer in 0..<4 { group.addTask { try await put("\(round)-\(writer)", headers) } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(statuses.filter { $0 == 200 }.count == 1, "\(round): \(statuses)")
                    #expect(statuses.filter { $0 == 412 }.count == 3, "\(round): \(statuses)")
                }
            }
        }
    }

    /// A secret's marker is kept with the value that it was given with, and is not a place for anything else.
    @Test func aSecretIsKnownByItsMarker() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let secret = SecretRequest.password(PasswordSecret(password: "p"))
                let marked = try await admin.send("PUT", "/secrets/wifi?marker=2026-11", secret)
                #expect(marked.status == 200, "\(marked.text)")
                #expect(try await admin.get("/secrets/wifi", Secret.self).facts.marker == "2026-11")
                let table = Data("serialNumber,password\nSN-1,own\n".utf8)
                #expect(try await admin.send("PUT", "/secrets/wifi/values", body: table).status == 200)
                #expect(try await admin.get("/secrets/wifi", Secret.self).facts.marker == "2026-11")
                #expect(try await admin.send("PUT", "/secrets/wifi", secret).status == 200)
                #expect(try await admin.get("/secrets/wifi", Secret.self).facts.marker == nil)
                for marker in ["", "a%20b", "a%2Fb", String(repeating: "a", count: 65)] {
                    let refused = try await admin.send("PUT", "/secrets/wifi?marker=\(marker)", secret)
                    #expect(refused.status == 422, "\(marker)")
                }
            }
        }
    }
}
