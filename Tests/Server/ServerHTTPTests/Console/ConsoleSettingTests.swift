import AdminMessages
import Foundation
import MadeRoots
import Testing

/// Settings in the console: made, looked at, edited by two people, given to groups, removed.
@Suite("Console: settings")
struct ConsoleSettingTests {
    private static let page = "/console/settings/root-certificate/proxy"
    private static let place = "/settings/root-certificate/proxy"

    private static func request(_ root: String) -> SettingRequest {
        SettingRequest(payload: .object(["certificate": .string(root)]))
    }

    private static func kept(_ admin: AdminClient) async throws -> (version: Int, root: String?) {
        let setting: Setting = try await admin.get(place)
        return (setting.version, setting.payload?["certificate"]?.text)
    }

    /// What the form with this address carries.
    private static func carried(by address: String, in text: String) throws -> [String: String] {
        let parts = text.components(separatedBy: "action=\"\(address)\"")
        let form = try #require(parts.dropFirst().first?.components(separatedBy: "</form>").first)
        var found: [String: String] = [:]
        for match in form.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)"/) {
            found[String(match.1)] = String(match.2).replacing("&quot;", with: "\"")
        }
        return found
    }

    /// What the form of a page carries beside what is typed.
    private static func carried(_ text: String, _ field: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in ["base", "before.\(field)"] {
            let parts = text.components(separatedBy: "name=\"\(name)\" value=\"")
            let value = try #require(parts.dropFirst().first?.components(separatedBy: "\"").first, "\(name)")
            found[name] = value.replacing("&quot;", with: "\"")
        }
        return found
    }

    @Test("a new one is refused at the field that is wrong, with what was typed; then it is there, with what is in it")
    func made() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let root = try MadeRoot.pem("Proxy")
            let form = "/console/new/setting"
            #expect(try await browser.get(form).text.contains("Managed apps trust this certificate authority"))
            var wish = ["kind": "root-certificate", "name": "no name", "text": root]
            let unnamed = try await browser.post(form, wish, from: form)
            #expect(unnamed.status == 422 && unnamed.text.contains("field-name-problem"), "\(unnamed.text)")
            #expect(unnamed.text.contains("value=\"no name\"") && unnamed.text.contains("-----BEGIN CERTIFICATE-----"))
            wish["name"] = "proxy"
            wish["text"] = "no certificate"
            let unread = try await browser.post(form, wish, from: form)
            #expect(unread.status == 422 && unread.text.contains("field-text-problem"), "\(unread.text)")
            #expect(unread.text.contains("exactly one certificate in PEM") && unread.text.contains("no certificate"))
            #expect(try await admin.send("GET", Self.place).status == 404, "nothing is kept")

            wish["text"] = root
            let added = try await browser.post(form, wish, from: form)
            #expect(added.status == 303 && added.headers["location"]?.hasPrefix(Self.page) == true, "\(added.text)")
            let again = try await browser.post(form, wish, from: form)
            #expect(again.status == 412 && again.text.contains("field-name-problem"), "\(again.text)")
            let shown = try await browser.get(Self.page).text
            for text in ["CN=Proxy", "Root certificate", "-----BEGIN CERTIFICATE-----", "No group yet"] {
                #expect(shown.contains(text), "\(text)")
            }
            #expect(try await browser.get("/console/settings").text.contains("href=\"\(Self.page)\""))
            let others = try await browser.get("/console/settings?kind=another").text
            #expect(!others.contains("href=\"\(Self.page)\""))
        }
    }

    /// Red: the console showed no warning of a setting, neither when it was saved nor later.
    @Test("what there is to say of a value is marked on its page and on its form")
    func marked() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let ending = try MadeRoot.pem("Proxy", until: Date(timeIntervalSinceNow: 20 * 86_400))
            let wish = ["kind": "root-certificate", "name": "proxy", "text": ending]
            #expect(try await browser.post("/console/new/setting", wish, from: "/console/new/setting").status == 303)
            let setting: Setting = try await admin.get(Self.place)
            let warning = try #require(setting.warnings?.first)
            for page in [Self.page, Self.page + "/edit"] {
                let shown = try await browser.get(page).text
                #expect(shown.contains("Note") && shown.contains(warning), "\(page): \(shown)")
            }
            try #require(try await admin.send("PUT", Self.place, Self.request(MadeRoot.pem("Proxy"))).status == 200)
            let sound: Setting = try await admin.get(Self.place)
            #expect(sound.warnings == nil)
        }
    }

    @Test("a form made of an older version is told so: both are shown, and nothing is saved before it was seen")
    func edited() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let (first, theirs, mine) = try (MadeRoot.pem("First"), MadeRoot.pem("Theirs"), MadeRoot.pem("Mine"))
            try #require(try await admin.send("PUT", Self.place, Self.request(first)).status == 200)
            let form = Self.page + "/edit"
            var wish = try Self.carried(try await browser.get(form).text, "text")
            wish["text"] = "no certificate"
            let refused = try await browser.post(form, wish, from: form)
            #expect(refused.status == 422 && refused.text.contains("field-text-problem"), "\(refused.text)")

            try #require(try await admin.send("PUT", Self.place, Self.request(theirs)).status == 200)
            wish["text"] = mine
            let told = try await browser.post(form, wish, from: form)
            #expect(told.status == 412 && told.text.contains("You changed it yourself"), "\(told.text)")
            for root in [first, theirs, mine] {
                // The second line: the first is that of every certificate.
                let line = root.split(separator: "\n")[1]
                #expect(told.text.contains(line))
            }
            var kept = try await Self.kept(admin)
            #expect(kept.version == 2 && kept.root == theirs)
            var merged = try Self.carried(told.text, "text")
            merged["text"] = mine
            #expect(try await browser.post(form, merged, from: form).status == 303)
            kept = try await Self.kept(admin)
            #expect(kept.version == 3 && kept.root == mine)
            let shown = try await browser.get(Self.page).text
            #expect(shown.contains("version 1") && shown.contains("version 3"), "the history is there")
        }
    }

    @Test("it is given to a group, which shows it; what a group has is not replaced unseen, and what is given stays")
    func assigned() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
            try #require(try await admin.send("PUT", Self.place, Self.request(MadeRoot.pem("Proxy"))).status == 200)
            let (page, one) = (Self.page + "/assignments", "/setting-assignments/teachers/root-certificate/proxy")
            let wrong = try await browser.post(page, ["group": "teachers", "priority": "high"])
            #expect(wrong.status == 422 && wrong.text.contains("field-priority-problem"), "\(wrong.text)")
            #expect(try await browser.post(page, ["group": "nobody", "priority": "0"]).status == 404)
            #expect(try await browser.post(page, ["group": "teachers", "priority": "5"]).status == 303)
            #expect(try await admin.get(one, SettingAssignment.self).priority == 5)
            let unseen = try await browser.post(page, ["group": "teachers", "priority": "9"])
            #expect(unseen.status == 412 && unseen.text.contains("Nothing of yours is saved"), "\(unseen.text)")
            #expect(try await admin.get(one, SettingAssignment.self).priority == 5)

            let form = page + "/teachers"
            var wish = try Self.carried(try await browser.get(form).text, "priority")
            wish["priority"] = "7"
            #expect(try await browser.post(form, wish, from: form).status == 303)
            #expect(try await admin.get(one, SettingAssignment.self).priority == 7)
            let group = try await browser.get("/console/groups/teachers").text
            #expect(group.contains("href=\"\(Self.page)\"") && group.contains("Settings of teachers"))

            let base = ["base": "\"v1\""]
            let used = try await browser.post(Self.page + "/remove", base)
            #expect(used.status == 409 && used.text.contains("teachers"), "\(used.text)")
            let shown = try await browser.get(Self.page).text
            let taken = try await browser.post(form + "/remove", Self.carried(by: form + "/remove", in: shown))
            #expect(taken.status == 303, "\(taken.text)")
            #expect(try await admin.send("GET", one).status == 404)
            #expect(try await browser.post(Self.page + "/remove", ["base": "\"v9\""]).status == 412)
            #expect(try await browser.post(Self.page + "/remove", base).status == 303)
            #expect(try await admin.send("GET", Self.place).status == 404)
        }
    }

    @Test("who may only look finds no form; who may not look inside sees on the group's page which settings it gets")
    func roles() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
            try #require(try await admin.send("PUT", Self.place, Self.request(MadeRoot.pem("Proxy"))).status == 200)
            let given = "/setting-assignments/teachers/root-certificate/proxy"
            try #require(try await admin.send("PUT", given, SettingAssignmentRequest()).status == 200)
            try await ConsoleBrowser.with(browser.server) { (reader) async throws in
                try await reader.signIn(as: .reader, admin)
                let shown = try await reader.get(Self.page)
                #expect(shown.status == 200 && shown.text.contains("CN=Proxy"))
                for path in ["/edit", "/remove", "/assignments"] {
                    #expect(!shown.text.contains("\"\(Self.page)\(path)"), "\(path)")
                }
                #expect(try await reader.post(Self.page + "/remove", ["base": "\"v1\""]).status == 403)
            }
            try await ConsoleBrowser.with(browser.server) { (helper) async throws in
                try await helper.signIn(as: .helpDesk, admin)
                #expect(try await helper.get(Self.page).status == 403)
                let group = try await helper.get("/console/groups/teachers").text
                #expect(group.contains("Settings of teachers") && group.contains("proxy"))
                #expect(!group.contains("/console/settings"), "no link to what is refused")
            }
        }
    }
}
