import AdminMessages
import AsyncHTTPClient
import Foundation
import Testing

/// Two administrators at one thing: the second is told who was quicker and what they changed, and nobody's change is lost.
@Suite("Console: two browsers")
struct ConsoleTwoBrowsersTests {
    /// Two people signed in, Anna and Bea, each in a browser of her own.
    private static func with(
        _ test: (AdminClient, _ anna: ConsoleBrowser, _ bea: ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (anna) async throws in
                    try await ConsoleBrowser.with(server) { (bea) async throws in
                        for (name, browser) in [("anna", anna), ("bea", bea)] {
                            try await Self.signIn(name, browser, admin)
                        }
                        try await test(admin, anna, bea)
                    }
                }
            }
        }
    }

    private static func signIn(_ name: String, _ browser: ConsoleBrowser, _ admin: AdminClient) async throws {
        let wish = AdministratorRequest(name: name, role: .administrator)
        let added = try await admin.send("POST", "/administrators", wish)
        let once = try AdminJSON.decode(AdministratorPassword.self, from: added.body).oneTimePassword
        try await browser.signIn(name, once)
        let page = "/console/password"
        let fields = ["old": once, "new": AdminClient.password, "again": AdminClient.password]
        try #require(try await browser.post(page, fields, from: page).status == 303)
    }

    /// What a form of a page would send, were it sent as it is.
    private static func form(of page: String, _ browser: ConsoleBrowser) async throws -> [String: String] {
        fields(in: try await browser.get(page).text)
    }

    private static func fields(in text: String) -> [String: String] {
        // The form of the page, not that which signs out.
        let main = text.components(separatedBy: "<main").last ?? ""
        let form = main.components(separatedBy: "</form>").first ?? ""
        func plain(_ text: Substring) -> String {
            [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(String(text)) {
                $0.replacing($1.0, with: $1.1)
            }
        }
        var found: [String: String] = [:]
        for match in form.matches(
            of: /<input type="(?:hidden|text)" (?:id="[^"]*" )?name="([^"]+)"[^>]* value="([^"]*)"/)
        { found[String(match.1)] = plain(match.2) }
        for match in form.matches(of: /<textarea id="[^"]*" name="([^"]+)"[^>]*>\n([^<]*)<\/textarea>/) {
            found[String(match.1)] = plain(match.2)
        }
        for select in form.matches(of: /<select id="[^"]*" name="([^"]+)"[^>]*>(.*?)<\/select>/.dotMatchesNewlines()) {
            found[String(select.1)] =
                select.2.firstMatch(of: /<option value="([^"]*)" selected/).map { plain($0.1) } ?? ""
        }
        return found
    }

    /// What is said where one field has two new values.
    private static let bothChangedIt = "and yours where both of you changed the same"

    @Test("a rule of a group: the second sees both rules and saves hers only after she saw the other")
    func rules() async throws {
        try await Self.with { (admin, anna, bea) async throws in
            try #require(
                try await admin.send("POST", "/groups", Group(name: "new", rule: "os = linux")).status == 201)
            let page = "/console/groups/new/rule"
            var (hers, other) = (try await Self.form(of: page, anna), try await Self.form(of: page, bea))
            #expect(hers["rule"] == "os = linux" && hers["base"] == other["base"] && hers["base"]?.isEmpty == false)
            (hers["rule"], hers["do"]) = ("os = macos", "save")
            (other["rule"], other["do"]) = ("os = ios", "save")
            #expect(try await anna.post(page, hers, from: page).status == 303)
            let told = try await bea.post(page, other, from: page)
            #expect(told.status == 412 && told.text.contains("anna was quicker, at "), "\(told.text)")
            for rule in ["os = linux", "os = macos", "os = ios"] { #expect(told.text.contains("<code>\(rule)</code>")) }
            #expect(told.text.contains(Self.bothChangedIt))
            let kept: GroupRuleDetail = try await admin.get("/groups/new/rule")
            #expect(kept.rule == "os = macos", "nothing of hers is lost")
            var merged = Self.fields(in: told.text)
            #expect(merged["rule"] == "os = ios" && merged["base"] != other["base"], "nor of the other")
            merged["do"] = "save"
            #expect(try await bea.post(page, merged, from: page).status == 303)
            #expect(try await admin.get("/groups/new/rule", GroupRuleDetail.self).rule == "os = ios")
            let late = try await anna.post(page + "/remove", hers, from: page)
            #expect(late.status == 412 && late.text.contains("bea was quicker"))
        }
    }

    @Test("a rule that both give a group that had none")
    func firstRules() async throws {
        try await Self.with { (admin, anna, bea) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "new")).status == 201)
            let page = "/console/groups/new/rule"
            let fields = try await Self.form(of: page, anna)
            for (browser, rule, status) in [(anna, "os = linux", 303), (bea, "os = ios", 412)] as [(_, _, UInt)] {
                let answer = try await browser.post(
                    page, fields.merging(["rule": rule, "do": "save"]) { $1 }, from: page)
                #expect(answer.status == status)
            }
            #expect(try await admin.get("/groups/new/rule", GroupRuleDetail.self).rule == "os = linux")
        }
    }

    @Test("an assignment: what only one of both changed is taken from her, and a group's is not replaced unseen")
    func assignments() async throws {
        try await Self.with { (admin, anna, bea) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            let page = "/console/apps/org.swift.landmarks/assignments/teachers"
            let seen = try await Self.form(of: page, anna)
            #expect(seen["configuration"] == "default" && seen["priority"] == "0", "\(seen)")
            #expect(try await anna.post(page, seen.merging(["priority": "7"]) { $1 }, from: page).status == 303)
            let told = try await bea.post(page, seen.merging(["trust": "shared"]) { $1 }, from: page)
            #expect(told.status == 412 && told.text.contains("anna was quicker"), "\(told.text)")
            #expect(!told.text.contains(Self.bothChangedIt), "each changed another field")
            let merged = Self.fields(in: told.text)
            #expect(merged["priority"] == "7" && merged["trust"] == "shared", "\(merged)")
            #expect(try await bea.post(page, merged, from: page).status == 303)
            let one: Assignment = try await admin.get("/assignments/teachers/org.swift.landmarks")
            #expect(one.priority == 7 && one.lowestTrust == "shared" && one.configuration == "default")
            let unseen = try await anna.post(
                "/console/apps/org.swift.landmarks/assignments",
                ["group": "teachers", "configuration": "", "trust": "verified", "priority": "0"], from: page)
            #expect(unseen.status == 412 && unseen.text.contains("bea was quicker"))
            #expect(try await admin.get("/assignments/teachers/org.swift.landmarks", Assignment.self) == one)
        }
    }

    @Test("what is known of a person, and where devices get an app, is put together in the same way")
    func peopleAndSources() async throws {
        try await Self.with { (admin, anna, bea) async throws in
            let details = PersonDetails(fullName: "Carl", email: "carl@example.org")
            try #require(try await admin.send("PUT", "/people/carl", details).status == 200)
            let page = "/console/people/carl"
            let seen = try await Self.form(of: page, anna)
            #expect(
                try await anna.post(page, seen.merging(["department": "Sales"]) { $1 }, from: page).status == 303)
            let told = try await bea.post(page, seen.merging(["fullName": "Carla"]) { $1 }, from: page)
            #expect(told.status == 412 && told.text.contains("anna was quicker"), "\(told.text)")
            #expect(try await bea.post(page, Self.fields(in: told.text), from: page).status == 303)
            let carl: Person = try await admin.get("/people/carl")
            #expect(
                carl.details == PersonDetails(fullName: "Carla", email: "carl@example.org", department: "Sales"))

            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            let sources = "/console/apps/org.swift.landmarks/sources"
            let added = try await anna.post(
                sources, ["platform": "linux", "origin": "installed", "install": "required"], from: page)
            #expect(added.status == 303, "\(added.text)")
            let again = try await bea.post(
                sources, ["platform": "linux", "origin": "installed", "install": "optional"], from: page)
            #expect(again.status == 412 && again.text.contains("anna was quicker"))
            let source = sources + "/linux/installed"
            let before = try await Self.form(of: source, anna)
            #expect(
                try await anna.post(source, before.merging(["install": "optional"]) { $1 }, from: page).status == 303)
            let late = try await bea.post(source, before.merging(["updates": "never"]) { $1 }, from: page)
            #expect(late.status == 412)
            #expect(try await bea.post(source, Self.fields(in: late.text), from: page).status == 303)
            let kept: AppSource = try await admin.get("/apps/org.swift.landmarks/sources/linux/installed")
            #expect(kept.install == "optional" && kept.updates == "never")
        }
    }

    @Test("the API says who was quicker, too, for every kind of change")
    func byTheAPI() async throws {
        try await Self.with { (admin, _, _) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            try #require(
                try await admin.send("POST", "/groups", Group(name: "new", rule: "os = linux")).status == 201)
            let secret = SecretRequest.password(PasswordSecret(password: "p"))
            try #require(try await admin.send("PUT", "/secrets/wifi", secret).status == 200)
            let app = App(bundleIdentifier: "org.swift.landmarks", name: "Landmarks")
            let changes: [(path: String, body: Data)] = [
                ("/apps/org.swift.landmarks/configurations/default", AdminClient.configuration(title: "b")),
                ("/groups/new/rule", try AdminJSON.encode(GroupRuleRequest(rule: "os = ios"))),
                ("/assignments/teachers/org.swift.landmarks", try AdminJSON.encode(AssignmentRequest())),
                ("/secrets/wifi", try AdminJSON.encode(secret)),
                ("/apps/org.swift.landmarks", try AdminJSON.encode(app)),
            ]
            for (path, body) in changes {
                let late = try await admin.send("PUT", path, headers: ["If-Match": "\"v99\""], body: body)
                let own = late.text.contains("You changed it yourself, at 2")
                #expect(late.status == 412 && own, "\(path): \(late.text)")
                #expect(late.headers["content-type"] == "application/problem+json")
            }
        }
    }
}
