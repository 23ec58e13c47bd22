import AdminMessages
import AsyncHTTPClient
import Foundation
import Testing

/// Who may do what, said in the console; the end of an app; the audit log as a file.
@Suite("Console: administrators, the end of an app, the log as a file")
struct ConsoleAdministratorTests {
    private static let page = "/console/administrators"

    /// What the forms of a page say they began with.
    private static func base(of page: String, _ browser: ConsoleBrowser) async throws -> String {
        let text = try await browser.get(page).text
        return String(try #require(text.firstMatch(of: /name="base" value="([^"]*)"/)).1)
            .replacing("&quot;", with: "\"")
    }

    /// The password that a page shows.
    private static func password(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /<code>([a-z2-7]{24})<\/code>/), "\(text)").1)
    }

    @Test(
        "somebody new is added with a one-time password that is shown once; what is wrong is said, nothing typed is lost"
    )
    func added() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let wrong = try await browser.post(Self.page, ["name": "no name", "role": "reader"])
            #expect(
                wrong.status == 422 && wrong.text.contains("role=\"alert\"") && wrong.text.contains("value=\"no name\"")
            )
            let wish = ["name": "olga", "role": "app-owner", "apps": "a.b\r\nc.d", "groups": "g"]
            let made = try await browser.post(Self.page, wish)
            #expect(made.status == 200 && made.text.contains("It is shown only once"), "\(made.text)")
            let once = try Self.password(in: made.text)
            let olga: Administrator = try await admin.get("/administrators/olga")
            #expect(olga.role == .appOwner && olga.apps == ["a.b", "c.d"] && olga.groups == ["g"])
            let list = try await browser.get(Self.page).text
            #expect(list.contains("href=\"\(Self.page)/olga\"") && list.contains("a.b, c.d") && !list.contains(once))
            #expect(try await browser.post(Self.page, wish).status == 409)
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn("olga", once)
                #expect(try await other.get("/console").headers["location"] == "/console/password")
            }
        }
    }

    @Test(
        "what somebody may do is changed as it was seen: the second is told who was quicker, and removes nobody unseen")
    func rights() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let wish = AdministratorRequest(name: "olga", role: .appOwner, apps: ["a.b"], groups: ["g"])
            try #require(try await admin.send("POST", "/administrators", wish).status == 201)
            let page = Self.page + "/olga"
            let base = try await Self.base(of: page, browser)
            let seen = ["base": base, "before.role": "app-owner", "before.apps": "a.b", "before.groups": "g"]
            let auditor = seen.merging(["role": "auditor", "apps": "a.b", "groups": "g"]) { $1 }
            #expect(try await browser.post(page, auditor).status == 303)
            let changed: Administrator = try await admin.get("/administrators/olga")
            #expect(changed.role == .auditor && changed.apps == nil, "an auditor has no apps of their own")
            let late = seen.merging(["role": "app-owner", "apps": "a.b, c.d", "groups": "g"]) { $1 }
            let told = try await browser.post(page, late)
            #expect(told.status == 412 && told.text.contains("You changed it yourself, at "), "\(told.text)")
            #expect(try await browser.post(page + "/remove", ["base": base]).status == 412)
            #expect(try await admin.get("/administrators/olga", Administrator.self) == changed)
            let fresh = try await Self.base(of: page, browser)
            let removed = try await browser.post(page + "/remove", ["base": fresh])
            #expect(removed.status == 303 && removed.headers["location"] == Self.page + "?done=removed")
            #expect(try await admin.send("GET", "/administrators/olga").status == 404)
        }
    }

    @Test("another one-time password takes the place of theirs; who is the last to do everything stays")
    func password() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn(as: .reader, admin)
                let reset = try await browser.post(Self.page + "/reader/password")
                let once = try Self.password(in: reset.text)
                #expect(try await other.get("/console").headers["location"]?.hasPrefix("/console/sign-in") == true)
                #expect(try await other.signIn("reader", AdminClient.password).status == 401)
                #expect(try await other.signIn("reader", once).status == 303)
            }
            let page = Self.page + "/admin"
            let base = try await Self.base(of: page, browser)
            for (path, fields) in [(page, ["role": "reader"]), (page + "/remove", [:])] {
                let answer = try await browser.post(path, fields.merging(["base": base]) { $1 })
                #expect(
                    answer.status == 409 && answer.text.contains("At least one administrator"),
                    "\(path): \(answer.text)")
            }
        }
    }

    @Test("an auditor sees who may do what, and is offered and allowed no change of it")
    func auditors() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn(as: .auditor, admin)
                for path in [Self.page, Self.page + "/admin"] {
                    let page = try await other.get(path)
                    let main = page.text.components(separatedBy: "<main").last ?? ""
                    #expect(page.status == 200 && main.contains("admin") && !main.contains("<form"), "\(path): \(main)")
                }
                for path in ["", "/admin", "/admin/password", "/admin/remove"] {
                    let answer = try await other.post(Self.page + path, ["name": "x", "role": "reader"])
                    #expect(answer.status == 403, "\(path): \(answer.status)")
                }
            }
        }
    }

    @Test("an app is removed once no group has it, with what goes said before, and only as it was seen")
    func appRemoval() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            let app = "/apps/org.swift.landmarks"
            let page = "/console\(app)/remove"
            #expect(try await browser.get("/console\(app)").text.contains("href=\"\(page)\""))
            let kept = try await browser.get(page).text
            #expect(kept.contains("What keeps it") && kept.contains("href=\"/console/groups/teachers\""), "\(kept)")
            #expect(!kept.contains("There is no way back"))
            #expect(try await browser.post(page, ["confirmed": "1"]).status == 409)
            try #require(try await admin.send("DELETE", "/assignments/teachers/org.swift.landmarks").status == 204)
            let shown = try await browser.get(page).text
            #expect(shown.contains("<dt>Configurations, with all versions</dt><dd>1</dd>"), "\(shown)")
            #expect(shown.contains("There is no way back") && !shown.contains("What keeps it"))
            let base = try await Self.base(of: page, browser)
            #expect(try await browser.post(page, ["base": base]).status == 422)
            let renamed = App(bundleIdentifier: "org.swift.landmarks", name: "Another")
            try #require(try await admin.send("PUT", app, renamed).status == 200)
            let unseen = try await browser.post(page, ["base": base, "confirmed": "1"])
            #expect(unseen.status == 412 && unseen.text.contains("You changed it yourself"), "\(unseen.text)")
            #expect(try await admin.send("GET", app).status == 200)
            let fresh = try await Self.base(of: page, browser)
            let removed = try await browser.post(page, ["base": fresh, "confirmed": "1"])
            #expect(removed.status == 303 && removed.headers["location"] == "/console/apps?done=removed")
            #expect(try await admin.send("GET", app).status == 404)
        }
    }

    @Test("who may not remove an app is not offered it, and refused")
    func appRemovalByReaders() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let app = App(bundleIdentifier: "a.b", name: "A")
            try #require(try await admin.send("PUT", "/apps/a.b", app).status == 200)
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn(as: .reader, admin)
                #expect(try await !other.get("/console/apps/a.b").text.contains("/console/apps/a.b/remove"))
                #expect(try await !other.get("/console/apps/a.b/remove").text.contains("There is no way back"))
                #expect(try await other.post("/console/apps/a.b/remove", ["confirmed": "1"]).status == 403)
                #expect(try await admin.send("GET", "/apps/a.b").status == 200)
            }
        }
    }

    @Test("the whole audit log is saved as a file, as the API writes it, by who may see it")
    func auditFile() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let address = "/console/activity/export"
            let page = try await browser.get("/console/activity?action=group.create").text
            #expect(page.contains("<a href=\"\(address)\" download>"))
            let file = try await browser.get(address)
            #expect(file.status == 200 && file.headers["content-type"] == "application/jsonl")
            #expect(file.headers["content-disposition"] == "attachment; filename=\"audit.jsonl\"")
            #expect(file.headers["x-content-type-options"] == "nosniff" && file.headers["cache-control"] == "no-store")
            #expect(try await file.body == admin.send("GET", "/audit/export").body)
            let lines = file.text.split(separator: "\n")
            let newest = try #require(try await admin.get("/audit?limit=1", Page<AuditEntry>.self).items.first)
            #expect(lines.count == newest.sequence + 2 && lines.last?.contains(newest.hash) == true)
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                #expect(try await other.get(address).headers["location"]?.hasPrefix("/console/sign-in") == true)
                try await other.signIn(as: .reader, admin)
                let refused = try await other.get(address)
                #expect(refused.status == 403 && refused.headers["content-type"]?.hasPrefix("text/html") == true)
            }
        }
    }
}
