import AdminMessages
import AsyncHTTPClient
import Foundation
import Testing

/// An administrator who is logged in.
struct AdminClient: Sendable {
    static let password = "a password of the tests"

    let client: HTTPClient
    let base: String
    let token: String

    /// Logs in with the one-time password, changes it, and hands over an administrator who may do everything.
    static func with(_ server: TestServer, _ test: (AdminClient) async throws -> Void) async throws {
        let client = try server.client()
        do {
            let base = server.baseURL + "/api/v1"
            let session = SessionRequest(name: "admin", password: server.oneTimePassword)
            let opened = try await client.send("POST", base + "/session", body: AdminJSON.encode(session))
            #expect(opened.status == 200)
            let answer = try AdminJSON.decode(SessionAnswer.self, from: opened.body)
            #expect(answer.mustChangePassword)
            let admin = AdminClient(client: client, base: base, token: answer.token)
            let change = PasswordChange(old: server.oneTimePassword, new: password)
            #expect(try await admin.send("PUT", "/session/password", change).status == 204)
            try await test(admin)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    func send(
        _ method: String, _ path: String, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Answer {
        try await client.send(
            method, base + path, headers: headers.merging(["Authorization": "Bearer \(token)"]) { first, _ in first },
            body: body)
    }

    func send(_ method: String, _ path: String, _ value: some Encodable) async throws -> Answer {
        try await send(method, path, headers: ["Content-Type": "application/json"], body: AdminJSON.encode(value))
    }

    func get<Value: Decodable>(_ path: String, _ type: Value.Type = Value.self) async throws -> Value {
        let answer = try await send("GET", path)
        try #require(answer.status == 200, "\(answer.text)")
        return try AdminJSON.decode(type, from: answer.body)
    }

    /// A new code for a group, which is made if it is missing.
    func code(
        group: String = "teachers", validSeconds: Int? = nil, allowLegacyCryptography: Bool? = nil
    ) async throws -> EnrollmentCodeAnswer {
        _ = try await send("POST", "/groups", Group(name: group))
        let wish = EnrollmentCodeRequest(
            group: group, validSeconds: validSeconds, allowLegacyCryptography: allowLegacyCryptography)
        let answer = try await send("POST", "/enrollment-codes", wish)
        try #require(answer.status == 201, "\(answer.text)")
        return try AdminJSON.decode(EnrollmentCodeAnswer.self, from: answer.body)
    }

    /// Gives Landmarks with a configuration to a group.
    func assignLandmarks(_ configuration: Data, group: String = "teachers") async throws {
        _ = try await send("POST", "/groups", Group(name: group))
        let app = "/apps/org.swift.landmarks"
        let put = try await send("PUT", app, App(bundleIdentifier: "org.swift.landmarks", name: "Landmarks"))
        try #require(put.status == 200, "\(put.text)")
        let stored = try await send("PUT", app + "/configurations/default", body: configuration)
        try #require(stored.status == 200, "\(stored.text)")
        let assigned = try await send(
            "PUT", "/assignments/\(group)/org.swift.landmarks", AssignmentRequest(configuration: "default"))
        try #require(assigned.status == 200, "\(assigned.text)")
    }

    static func configuration(title: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>title</key><string>\(title)</string></dict></plist>
            """.utf8)
    }
}
