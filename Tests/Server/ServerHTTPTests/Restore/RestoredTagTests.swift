import AdminMessages
import Foundation
import Management
import StoreSQLite
import Testing

/// Tags and cursors from the hour that a restore lost are refused afterwards, although version numbers repeat.
@Suite struct RestoredTagTests {
    private static let configuration = "/apps/org.swift.landmarks/configurations/default"
    private static let assignment = "/assignments/teachers/org.swift.landmarks"
    private static let secret = "/secrets/spare"
    private static let era = "0123456789abcdef0123456789abcdef"

    /// The tags and the cursor that an administrator read, and a session that is in the backup.
    private struct Seen: Sendable {
        var token = ""
        var configuration = ""
        var assignment = ""
        var cursor = ""
    }

    /// Runs a server whose backup has the first versions and which makes second ones after it, then the restored
    /// server.
    private static func with(
        _ test: (Seen, AdminClient, ConsoleBrowser) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-tags-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let kept = KeptStore(path: directory.appending(path: "martlet.sqlite").path)
        let copy = directory.appending(path: "copy.sqlite").path
        let clock = TestClock(stands: true)
        let seen = try await TestServer.run(clock: clock, kept: kept) { (server) async throws -> Seen in
            var seen = Seen()
            try await AdminClient.with(server) { (admin) async throws in
                seen.token = admin.token
                try await admin.assignLandmarks(AdminClient.configuration(title: "kept"))
                try await set(secret, to: "kept", admin)
                try #require(try await admin.send("POST", "/groups", AdminMessages.Group(name: "beta")).status == 201)
                _ = try await server.store.copy(to: copy, progress: { _, _ in })
                let lost = try await admin.send(
                    "PUT", configuration, body: AdminClient.configuration(title: "lost"))
                seen.configuration = try #require(lost.headers["etag"])
                try await set(secret, to: "lost", admin)
                try #require(try await admin.send("POST", "/groups", AdminMessages.Group(name: "alpha")).status == 201)
                seen.cursor = try #require(try await groups("?limit=1", admin).next)
                seen.assignment = try #require(try await admin.send("GET", assignment).headers["etag"])
            }
            return seen
        }
        clock.advance(by: 60)
        _ = try await kept.restore(copy, Era(id: era, copied: clock.second - 60, began: clock.second))
        clock.advance(by: 60)
        try await TestServer.run(clock: clock, kept: kept) { (server) async throws in
            try await ConsoleBrowser.with(server) { (browser) async throws in
                let admin = AdminClient(
                    client: browser.client, base: server.baseURL + "/api/v1", token: seen.token)
                // The restored server uses the numbers of the lost versions again.
                let made = try await admin.send(
                    "PUT", configuration, body: AdminClient.configuration(title: "new"))
                try #require(made.headers["etag"] == "\"v2-0123456789ab\"", "\(made.text)")
                try await set(secret, to: "new", admin)
                try await test(seen, admin, browser)
            }
        }
    }

    private static func groups(
        _ query: String, _ admin: AdminClient
    ) async throws -> AdminMessages.Page<AdminMessages.Group> {
        try await admin.get("/groups\(query)")
    }

    private static func set(_ secret: String, to password: String, _ admin: AdminClient) async throws {
        let answer = try await admin.send("PUT", secret, SecretRequest.password(PasswordSecret(password: password)))
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Red if the lost second version and the new one have the same tag: the change would replace the new one unseen.
    @Test func aChangeThatHoldsForALostVersionIsRefused() async throws {
        try await Self.with { (seen, admin, _) async throws in
            #expect(seen.configuration == "\"v2\"", "nothing is added before the first restore")
            func put(_ tag: String) async throws -> Answer {
                try await admin.send(
                    "PUT", Self.configuration, headers: ["If-Match": tag],
                    body: AdminClient.configuration(title: "next"))
            }
            for lost in [seen.configuration, "\"v1\"", "\"v2-ba9876543210\"", "\(seen.configuration), \"v1\""] {
                let refused = try await put(lost)
                #expect(refused.status == 412, "\(lost): \(refused.text)")
                #expect(refused.text.contains("A backup was put back"), "\(lost): \(refused.text)")
            }
            func assign(_ tag: String) async throws -> Answer {
                try await admin.send(
                    "PUT", Self.assignment, headers: ["Content-Type": "application/json", "If-Match": tag],
                    body: AdminJSON.encode(AssignmentRequest(configuration: "default")))
            }
            let given = try await assign(seen.assignment)
            #expect(given.status == 412, "\(given.text)")

            let present = try #require(try await admin.send("GET", Self.configuration).headers["etag"])
            let made = try await put(present)
            #expect(made.status == 200 && made.headers["etag"] == "\"v3-0123456789ab\"", "\(made.text)")
            let late = try await put(present)
            #expect(late.status == 412 && late.text.contains("You changed it yourself"), "\(late.text)")
            #expect(try await put("*").status == 200)
            let assigned = try #require(try await admin.send("GET", Self.assignment).headers["etag"])
            let again = try await assign(assigned)
            #expect(again.status == 200, "\(again.text)")
        }
    }

    /// Red if a program with a lost version gets 304, as if it had the present one.
    @Test func whatWasKeptOfALostVersionIsAnsweredAnew() async throws {
        try await Self.with { (seen, admin, _) async throws in
            func get(_ tag: String) async throws -> Answer {
                try await admin.send("GET", Self.configuration, headers: ["If-None-Match": tag])
            }
            let anew = try await get(seen.configuration)
            #expect(anew.status == 200 && anew.text.contains("new"))
            let present = try #require(anew.headers["etag"])
            let same = try await get(present)
            #expect(same.status == 304 && same.headers["etag"] == present)
        }
    }

    /// Red if the list continues in the middle of another one.
    @Test func aListThatWasBegunBeforeBeginsAgain() async throws {
        try await Self.with { (seen, admin, _) async throws in
            #expect(seen.cursor == "alpha", "nothing is added before the first restore")
            let refused = try await admin.send("GET", "/groups?limit=1&cursor=\(seen.cursor)")
            #expect(refused.status == 400 && refused.text.contains("before a backup was put back"), "\(refused.text)")
            let first = try await Self.groups("?limit=1", admin)
            #expect(first.items.map(\.name) == ["beta"])
            let second = try await Self.groups("?limit=1&cursor=\(try #require(first.next))", admin)
            #expect(second.items.map(\.name) == ["teachers"] && second.next == nil)
        }
    }

    /// Red if the console takes a form from the lost hour for a form of the new version with the same number.
    @Test func aFormOfALostVersionChangesNothing() async throws {
        try await Self.with { (_, admin, browser) async throws in
            try await browser.signIn()
            let edit = "/console/apps/org.swift.landmarks/configurations/default/edit"
            func save(_ base: String) async throws -> Answer {
                let text = String(decoding: AdminClient.configuration(title: "form"), as: UTF8.self)
                return try await browser.post(edit, ["base": base, "view": "xml", "text": text, "do": "save"])
            }
            #expect(try await save("2").status == 409)
            #expect(try await save("2-0123456789ab").status == 303)

            let page = "/console/secrets/spare"
            let shown = try await browser.get(page).text
            #expect(shown.contains("name=\"base\" value=\"2-0123456789ab\""))
            #expect(try await browser.post(page + "/remove", ["base": "2"]).status == 412)
            #expect(try await admin.send("GET", Self.secret).status == 200)
            #expect(try await browser.post(page + "/remove", ["base": "2-0123456789ab"]).status == 303)
        }
    }
}
