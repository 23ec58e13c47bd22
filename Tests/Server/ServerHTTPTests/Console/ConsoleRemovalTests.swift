import AdminMessages
import Foundation
import MadeRoots
import Testing

/// What a page's form takes away is what the page showed.
@Suite("Console: removal")
struct ConsoleRemovalTests {
    private static let app = "org.swift.landmarks"

    /// What the page's form of this address carries.
    static func carried(by address: String, in text: String) throws -> [String: String] {
        let parts = text.components(separatedBy: "action=\"\(address)\"")
        try #require(parts.count == 2, "no form, or several: \(text)")
        let form = parts[1].components(separatedBy: "</form>")[0]
        var found: [String: String] = [:]
        for match in form.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)"/) {
            found[String(match.1)] = String(match.2).replacing("&quot;", with: "\"")
        }
        // The form's own proof is the browser's.
        found["form-token"] = nil
        return found
    }

    /// Shows the page, has another administrator change the thing, and takes it away by the form that was shown; then by
    /// the one that is shown with the refusal.
    private static func expectHeld(
        _ thing: String, on page: String, by address: String, _ admin: AdminClient, _ browser: ConsoleBrowser,
        change: () async throws -> UInt
    ) async throws {
        let shown = try carried(by: address, in: try await browser.get(page).text)
        #expect(try await change() == 200)
        let late = try await browser.post(address, shown)
        #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
        #expect(try await admin.send("GET", thing).status == 200, "it is there still")
        let again = try await browser.post(address, try carried(by: address, in: late.text))
        #expect(again.status == 303, "\(again.text)")
        #expect(try await admin.send("GET", thing).status == 404)
    }

    /// Red: the form took away whatever the group had by then.
    @Test("an app is taken from a group only as the page showed it")
    func assignments() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            let thing = "/assignments/teachers/\(Self.app)"
            let page = "/console/apps/\(Self.app)/assignments"
            try await Self.expectHeld(thing, on: page, by: page + "/teachers/remove", admin, browser) {
                let extensions = ["\(Self.app).one": "default", "\(Self.app).two": "default"]
                let wish = AssignmentRequest(configuration: "default", extensions: extensions, priority: 7)
                return UInt(try await admin.send("PUT", thing, wish).status)
            }
        }
    }

    /// Red: as above.
    @Test("a setting is taken from a group only as the page showed it")
    func settings() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
            let setting = SettingRequest(payload: .object(["certificate": .string(try MadeRoot.pem("Proxy"))]))
            let place = "/settings/root-certificate/proxy"
            try #require(try await admin.send("PUT", place, setting).status == 200)
            let thing = "/setting-assignments/teachers/root-certificate/proxy"
            try #require(try await admin.send("PUT", thing, SettingAssignmentRequest(priority: 1)).status == 200)
            let page = "/console" + place
            try await Self.expectHeld(thing, on: page, by: page + "/assignments/teachers/remove", admin, browser) {
                UInt(try await admin.send("PUT", thing, SettingAssignmentRequest(priority: 7)).status)
            }
        }
    }

    /// Red: the form removed a version that its page had not shown.
    @Test("a secret is removed only in the version that the page showed")
    func secrets() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let secret = SecretRequest.password(PasswordSecret(password: "p"))
            try #require(try await admin.send("PUT", "/secrets/wifi", secret).status == 200)
            let page = "/console/secrets/wifi"
            try await Self.expectHeld("/secrets/wifi", on: page, by: page + "/remove", admin, browser) {
                UInt(try await admin.send("PUT", "/secrets/wifi", secret).status)
            }
        }
    }

    /// Red: the form removed a group that had another rule by then.
    @Test("a group is removed only with the rule that the page showed")
    func groups() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(
                try await admin.send("POST", "/groups", Group(name: "new", rule: "os = linux")).status == 201)
            let page = "/console/groups/new"
            try await Self.expectHeld("/groups/new", on: page, by: page + "/remove", admin, browser) {
                UInt(try await admin.send("PUT", "/groups/new/rule", GroupRuleRequest(rule: "os = ios")).status)
            }
        }
    }

    /// Red: the form removed a person of whom more was known by then.
    @Test("a person is removed only as the page showed them")
    func people() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let details = PersonDetails(fullName: "Carl", email: "carl@example.org")
            try #require(try await admin.send("PUT", "/people/carl", details).status == 200)
            let page = "/console/people/carl"
            try await Self.expectHeld("/people/carl", on: page, by: page + "/remove", admin, browser) {
                UInt(try await admin.send("PUT", "/people/carl", PersonDetails(fullName: "Carla")).status)
            }
        }
    }
}
