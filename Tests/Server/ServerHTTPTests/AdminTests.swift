import AdminMessages
import AsyncHTTPClient
import Crypto
import DeviceMessages
import Foundation
import InputBounds
import ServerHTTP
import TestLog
import Testing

/// The administrator's API, as a program calls it.
@Suite struct AdminTests {
    private let app = "/apps/org.swift.landmarks"
    private var configuration: String { app + "/configurations/default" }

    @Test func withoutASessionNothingIsServed() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let base = server.baseURL + "/api/v1"
                for headers in [[:], ["Authorization": "Bearer wrong"], ["Authorization": "Basic YTpi"]] {
                    let answer = try await client.send("GET", base + "/groups", headers: headers)
                    #expect(answer.status == 401)
                    #expect(answer.headers["content-type"] == "application/problem+json")
                }
                let wish = try AdminJSON.encode(SessionRequest(name: "admin", password: "wrong"))
                #expect(try await client.send("POST", base + "/session", body: wish).status == 401)
                #expect(try await client.send("GET", base + "/nothing").status == 404)
            }
        }
    }

    @Test func theOneTimePasswordMustBeChangedFirst() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let base = server.baseURL + "/api/v1"
                let wish = SessionRequest(name: "admin", password: server.oneTimePassword)
                let opened = try await client.send("POST", base + "/session", body: AdminJSON.encode(wish))
                let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
                let headers = ["Authorization": "Bearer \(token)"]
                let refused = try await client.send("GET", base + "/groups", headers: headers)
                #expect(refused.status == 403)
                #expect(refused.text.contains("PUT /api/v1/session/password"))
                let change = PasswordChange(old: server.oneTimePassword, new: AdminClient.password)
                let changed = try await client.send(
                    "PUT", base + "/session/password", headers: headers, body: AdminJSON.encode(change))
                #expect(changed.status == 204)
                #expect(try await client.send("GET", base + "/groups", headers: headers).status == 200)
                #expect(try await client.send("DELETE", base + "/session", headers: headers).status == 204)
                #expect(try await client.send("GET", base + "/groups", headers: headers).status == 401)
                // Neither password nor token was logged.
                #expect(!server.log.all.contains { $0.contains(server.oneTimePassword) || $0.contains(token) })
            }
        }
    }

    @Test func whatIsConfiguredIsReadBack() async throws {
        try await withAdmin { (admin) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "first"))
            #expect(try await admin.get("/groups/teachers") == Group(name: "teachers", deviceCount: 0))
            let apps: AdminMessages.Page<App> = try await admin.get("/apps")
            #expect(apps.items == [App(bundleIdentifier: "org.swift.landmarks", name: "Landmarks")])
            let assignments: AdminMessages.Page<Assignment> = try await admin.get("/assignments?group=teachers")
            #expect(
                assignments.items == [
                    Assignment(group: "teachers", app: "org.swift.landmarks", configuration: "default")
                ])
            // What is in use cannot be removed.
            #expect(try await admin.send("DELETE", "/groups/teachers").status == 409)
            #expect(try await admin.send("DELETE", configuration).status == 409)
            #expect(try await admin.send("DELETE", "/assignments/teachers/org.swift.landmarks").status == 204)
            #expect(try await admin.send("DELETE", configuration).status == 204)
            #expect(try await admin.send("DELETE", app).status == 204)
            #expect(try await admin.send("DELETE", "/groups/teachers").status == 204)
            #expect(try await admin.send("GET", app).status == 404)
        }
    }

    @Test func aConfigurationKeepsItsBytesAndItsHistory() async throws {
        try await withAdmin { (admin) async throws in
            let first = AdminClient.configuration(title: "first")
            try await admin.assignLandmarks(first)
            let second = try await admin.send("PUT", configuration, body: AdminClient.configuration(title: "second"))
            let made = try AdminJSON.decode(ConfigurationAnswer.self, from: second.body)
            #expect(made.version == 2 && made.unchanged == nil)
            // The same bytes again make no version.
            let same = try await admin.send("PUT", configuration, body: AdminClient.configuration(title: "second"))
            let kept = try AdminJSON.decode(ConfigurationAnswer.self, from: same.body)
            #expect(kept.version == 2 && kept.unchanged == true)
            #expect(try await admin.send("GET", configuration + "/versions/1").body == first)
            let reverted = try await admin.send("POST", configuration + "/revert", RevertRequest(version: 1))
            #expect(try AdminJSON.decode(ConfigurationAnswer.self, from: reverted.body).version == 3)
            // Red: a revert to what is there made a version, and woke devices for nothing.
            let again = try await admin.send("POST", configuration + "/revert", RevertRequest(version: 1))
            let back = try AdminJSON.decode(ConfigurationAnswer.self, from: again.body)
            #expect(back.version == 3 && back.unchanged == true)
            let present = try await admin.send("GET", configuration)
            #expect(present.body == first)
            #expect(present.headers["content-type"] == "application/xml")
            let versions: AdminMessages.Page<ConfigurationVersion> = try await admin.get(configuration + "/versions")
            #expect(versions.items.map(\.version) == [3, 2, 1])
            #expect(versions.items.first?.revertOf == 1)
            #expect(versions.items.first?.author == "admin")
            #expect(try await admin.send("GET", configuration + "/versions/9").status == 404)
            #expect(try await admin.send("GET", configuration + "/versions/x").status == 404)
        }
    }

    /// Two administrators cannot overwrite each other unseen.
    @Test func conditionsAreJudged() async throws {
        try await withAdmin { (admin) async throws in
            let body = { AdminClient.configuration(title: $0) }
            try await admin.assignLandmarks(body("first"))
            let tag = try #require(try await admin.send("GET", configuration).headers["etag"])
            let put = { (headers: [String: String], title: String) in
                try await admin.send("PUT", configuration, headers: headers, body: body(title)).status
            }
            #expect(try await put(["If-None-Match": "*"], "second") == 412)
            #expect(try await put(["If-Match": tag], "second") == 200)
            #expect(try await put(["If-Match": tag], "third") == 412)
            #expect(try await put(["If-Match": "\"nonsense\""], "third") == 412)
            #expect(try await put(["If-Match": "*"], "third") == 200)
            #expect(try await admin.send("GET", configuration, headers: ["If-None-Match": tag]).status == 200)
            let present = try #require(try await admin.send("GET", configuration).headers["etag"])
            #expect(try await admin.send("GET", configuration, headers: ["If-None-Match": present]).status == 304)
            // Every other resource has a tag as well.
            let appTag = try #require(try await admin.send("GET", app).headers["etag"])
            #expect(try await admin.send("GET", app, headers: ["If-None-Match": appTag]).status == 304)
            let renamed = try AdminJSON.encode(App(bundleIdentifier: "org.swift.landmarks", name: "Renamed"))
            #expect(try await admin.send("PUT", app, headers: ["If-Match": "\"x\""], body: renamed).status == 412)
            #expect(try await admin.send("PUT", app, headers: ["If-Match": appTag], body: renamed).status == 200)
            #expect(try await admin.send("PUT", app, headers: ["If-Match": appTag], body: renamed).status == 412)
        }
    }

    /// S4-BP-01: one mebibyte passes, one byte more is refused by the rule; large ones are warned about.
    @Test func theSizeOfAConfigurationIsBounded() async throws {
        try await withAdmin { (admin) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "small"))
            let put = { (size: Int) in
                let empty = AdminClient.configuration(title: "").count
                let title = String(repeating: "a", count: size - empty)
                return try await admin.send("PUT", configuration, body: AdminClient.configuration(title: title))
            }
            let largest = try await put(1_048_576)
            #expect(largest.status == 200, "\(largest.text)")
            #expect(try AdminJSON.decode(ConfigurationAnswer.self, from: largest.body).warnings.count == 1)
            let larger = try await put(1_048_577)
            #expect(larger.status == 413)
            #expect(larger.headers["content-type"] == "application/problem+json")
            #expect(larger.text.contains("1048576"))
            let huge = try await put(3_000_000)
            #expect(huge.status == 413)
            let small = try await put(100_000)
            #expect(try AdminJSON.decode(ConfigurationAnswer.self, from: small.body).warnings.isEmpty)
            let warned = try await put(100_001)
            #expect(try AdminJSON.decode(ConfigurationAnswer.self, from: warned.body).warnings.count == 1)
        }
    }

    /// S4-DATA-01: a kind of data that there is not is refused, and what was assigned stays.
    ///
    /// Passwords, certificates and identities are the other kinds there will be; until then they are refused as well,
    /// so that nobody believes them delivered.
    @Test(arguments: ["sounds", "passwords", "Configuration", ""])
    func anAssignmentOfAnotherKindOfDataIsRefused(kind: String) async throws {
        try await withAdmin { admin in
            try await admin.assignLandmarks(AdminClient.configuration(title: "kept"))
            let path = "/assignments/teachers/org.swift.landmarks"
            let wish = JSONValue.object(["configuration": .null, kind: .array([.string("loud")])])
            let refused = try await admin.send("PUT", path, body: wish.encoded())
            #expect(refused.status == 422)
            let known = "Known are: configuration, delivery, extensions, install, lowestTrust, priority."
            #expect(refused.text.contains(known), "\(refused.text)")
            #expect(!refused.text.contains("loud"))
            let kept = Assignment(group: "teachers", app: "org.swift.landmarks", configuration: "default")
            #expect(try await admin.get(path) == kept)
        }
    }

    /// S4-API-22: the format of configurations is the property list, XML or binary; everything else is refused in words.
    @Test func configurationsAreXMLOrBinaryPropertyLists() async throws {
        try await withAdmin { admin in
            try await admin.assignLandmarks(AdminClient.configuration(title: "XML"))
            let binary = try PropertyListSerialization.data(
                fromPropertyList: ["title": "binary"], format: .binary, options: 0)
            #expect(try await admin.send("PUT", configuration, body: binary).status == 200)
            let present = try await admin.send("GET", configuration)
            #expect(present.body == binary)
            #expect(present.headers["content-type"] == "application/x-plist")
            for text in [#"{"title":"JSON"}"#, "<plist><dict><key>a</key></plist>", "<plist><array/></plist>", ""] {
                let refused = try await admin.send("PUT", configuration, body: Data(text.utf8))
                #expect(refused.status == 422)
                #expect(try AdminJSON.decode(Problem.self, from: refused.body).title.hasSuffix("."), "\(refused.text)")
            }
            #expect(try await admin.send("GET", configuration).body == binary)
        }
    }

    @Test func listsComeInPages() async throws {
        try await withAdmin { (admin) async throws in
            for number in 0..<5 { _ = try await admin.send("POST", "/groups", Group(name: "g\(number)")) }
            var names: [String] = []
            var cursor: String?
            repeat {
                let query = "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page: AdminMessages.Page<Group> = try await admin.get("/groups" + query)
                #expect(page.items.count <= 2)
                names += page.items.map(\.name)
                cursor = page.next
            } while cursor != nil
            #expect(names == ["g0", "g1", "g2", "g3", "g4"])
            #expect(try await admin.send("GET", "/groups?limit=0").status == 400)
            #expect(try await admin.send("GET", "/groups?limit=x").status == 400)
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"{"name":1}"#, #"{"nam":"x"}"#, String(repeating: "[", count: 1_000),
        #"{"name":"../../etc"}"#,
    ])
    func hostileBodiesAreRefusedWithoutRepeatingThem(body: String) async throws {
        try await withAdmin { (admin) async throws in
            let answer = try await admin.send("POST", "/groups", body: Data(body.utf8))
            #expect(answer.status == 400 || answer.status == 422)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(!answer.text.contains("etc"))
        }
    }

    @Test func aCommandsAnswerIsShown() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let first = try await device.report(.idle)
                    _ = try await device.report(.acknowledged, first)
                    let path = "/devices/\(device.identifier.key)/commands"
                    let sent = try await admin.send(
                        "POST", path, CommandRequest(requestType: "DeviceInformation"))
                    let summary = try AdminJSON.decode(CommandSummary.self, from: sent.body)
                    #expect(summary.state == .queued)
                    let raw = PropertyListValue.dictionary(["RequestType": .string("ProfileList")]).xml()
                    let second = try await admin.send("POST", path, body: raw)
                    #expect(second.status == 201)
                    let command = try await device.report(.idle)
                    #expect(command?.uuid == summary.uuid)
                    let next = try await device.report(
                        .acknowledged, command, contents: ["QueryResponses": .dictionary(["OSVersion": .string("1")])])
                    let detail: CommandDetail = try await admin.get("\(path)/\(summary.uuid)")
                    #expect(detail.state == .acknowledged)
                    #expect(detail.answer == .object(["QueryResponses": .object(["OSVersion": .string("1")])]))
                    #expect(next?.requestType == "ProfileList")
                    #expect(try await admin.send("GET", path + "/nothing").status == 404)
                }
            }
        }
    }

    @Test func neitherCodesNorQueriesAreLogged() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                _ = try await admin.client.send("GET", code.enrollmentURL)
                _ = try await admin.send("GET", "/groups?cursor=a-cursor")
                #expect(server.log.say("request", "/enroll/{code}", "status=200"))
                #expect(!server.log.all.contains { $0.contains(code.code) || $0.contains("a-cursor") })
            }
        }
    }

    private func withAdmin(_ test: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { server in try await AdminClient.with(server) { try await test($0) } }
    }
}
