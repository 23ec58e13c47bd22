import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import Testing

/// What administrators look after in the console beside apps' configurations.
@Suite("Console: rules, tokens, people, sources, teams, activity")
struct ConsoleAdministrationTests {
    @Test("a rule is tried before it is kept: who would be in it, who would join and leave; nothing is changed by that")
    func rules() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try #require(try await admin.send("POST", "/groups", Group(name: "new")).status == 201)
                        let page = "/console/groups/new/rule"
                        let wish = ["rule": "kind=device", "do": "preview"]
                        let preview = try await browser.post(page, wish)
                        #expect(preview.status == 200 && preview.text.contains("Would join"), "\(preview.text)")
                        #expect(preview.text.contains("<code>kind = device</code>"), "as it would be kept")
                        #expect(preview.text.contains("/console/devices/\(device.identifier.key)\""))
                        #expect(try await admin.get("/groups/new", Group.self).rule == nil)
                        let wrong = try await browser.post(page, ["rule": "os = windows", "do": "save"])
                        #expect(wrong.status == 422 && wrong.text.contains("from character 4 on"), "\(wrong.text)")
                        #expect(wrong.text.contains("os = windows</textarea>"), "nothing typed is lost")
                        #expect(try await browser.post(page, ["rule": "kind=device", "do": "save"]).status == 303)
                        #expect(try await admin.get("/groups/new", Group.self).rule == "kind = device")
                        let group = try await browser.get("/console/groups/new").text
                        #expect(group.contains("<code>kind = device</code>") && group.contains("Edit the rule"))
                    }
                }
            }
        }
    }

    @Test("an API token is shown once, may what was ticked, and is ended")
    func tokens() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let page = "/console/account/tokens"
            let made = try await browser.post(
                page, ["name": "ci", "valid": "86400", "role": "administrator", "read-only": "1"])
            let text = try String(#require(made.text.firstMatch(of: /martlet_[a-z2-7]{40}/)).output)
            #expect(made.status == 200 && made.text.contains("It is shown only once"))
            let list = try await browser.get(page).text
            #expect(list.contains("ci") && list.contains("only looks") && !list.contains(text))
            let tokens: Page<TokenSummary> = try await admin.get("/tokens")
            let token = try #require(tokens.items.first)
            #expect(token.readOnly && !token.administers && token.role == .administrator)
            #expect(abs(token.expires.timeIntervalSince(token.created) - 86_400) < 1)
            let again = try await browser.post(page, ["name": "ci", "valid": "86400", "role": "reader"])
            #expect(again.status == 409 && again.text.contains("role=\"alert\""))
            let owner = try await browser.post(
                page, ["name": "own", "valid": "86400", "role": "app-owner", "apps": "a.b, c.d", "groups": "g"])
            #expect(owner.status == 200 && owner.text.contains("apps a.b, c.d; groups g"), "\(owner.text)")
            #expect(try await browser.post(page + "/\(token.id)/revoke").status == 303)
            let after: Page<TokenSummary> = try await admin.get("/tokens")
            #expect(after.items.first { $0.id == token.id }?.revoked != nil)
        }
    }

    @Test("a person is added, changed, invited and removed; the password of the invitation is shown once")
    func people() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
            let carl = ["userName": "carl", "fullName": "Carl", "email": "carl@example.org"]
            #expect(try await browser.post("/console/new/person", carl).status == 303)
            let again = try await browser.post("/console/new/person", carl)
            #expect(again.status == 412 && again.text.contains("value=\"carl@example.org\""))
            #expect(try await browser.get("/console/people").text.contains("href=\"/console/people/carl\""))
            let invited = try await browser.post(
                "/console/people/carl/invitation", ["group": "teachers", "valid": "86400"])
            #expect(invited.status == 200 && invited.text.contains("It is shown only once"), "\(invited.text)")
            let shown = try #require(invited.text.firstMatch(of: /<dt>Password<\/dt><dd>.*?<code>([^<]+)<\/code>/))
            let list = try await browser.get("/console/invitations").text
            #expect(list.contains("carl@example.org") && !list.contains(shown.1))
            let page = try await browser.get("/console/people/carl").text
            let seen = try ConsoleRemovalTests.carried(by: "/console/people/carl/invitation", in: page)
            let nowhere = try await browser.post(
                "/console/people/carl/invitation", seen.merging(["group": "nobody"]) { $1 })
            #expect(nowhere.status == 404 && nowhere.text.contains("role=\"alert\""))
            #expect(try await browser.post("/console/people/carl/invitation/remove").status == 303)
            #expect(try await admin.get("/invitations", Page<InvitationSummary>.self).items.isEmpty)
            #expect(try await browser.post("/console/people/carl/remove").status == 303)
            #expect(try await admin.send("GET", "/people/carl").status == 404)
        }
    }

    @Test("people come from a table: what it would do is shown first")
    func table() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let rows = "userName,department\r\nanna,Sales\r\nbea,Support\r\n"
            let planned = try await browser.post("/console/new/people", ["table": rows, "do": "plan"])
            #expect(planned.status == 200 && planned.text.contains("2 would be added"), "\(planned.text)")
            #expect(try await admin.get("/people", Page<Person>.self).items.isEmpty)
            let wrong = try await browser.post("/console/new/people", ["table": "name\nanna\n", "do": "import"])
            #expect(wrong.status == 422 && wrong.text.contains("role=\"alert\""))
            #expect(try await browser.post("/console/new/people", ["table": rows, "do": "import"]).status == 303)
            let people: Page<Person> = try await admin.get("/people")
            #expect(people.items.map(\.userName) == ["anna", "bea"])
        }
    }

    @Test("where devices get an app is said, changed and taken back; what the server would refuse is said in place")
    func sources() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            let page = "/console/apps/org.swift.landmarks/sources"
            let wrong = try await browser.post(
                page, ["platform": "linux", "origin": "installed", "install": "required", "minimumOSVersion": "x"])
            #expect(wrong.status == 422 && wrong.text.contains("value=\"x\""), "\(wrong.text)")
            let added = try await browser.post(
                page, ["platform": "linux", "origin": "installed", "install": "required", "minimumOSVersion": "12"])
            #expect(added.status == 303, "\(added.text)")
            #expect(try await browser.get(page).text.contains("OS 12"))
            #expect(try await browser.post("/console/apps/org.swift.landmarks/update-check").status == 303)
            let tag = try #require(
                try await admin.send("GET", "/apps/org.swift.landmarks/sources/linux/installed").headers["etag"])
            #expect(try await browser.post(page + "/linux/installed/remove", ["base": tag]).status == 303)
            #expect(
                try await admin.send("GET", "/apps/org.swift.landmarks/sources/linux/installed").status == 404)
        }
    }

    @Test("a team is trusted by its certificate in PEM and no longer by a press; what is none is refused in place")
    func teams() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let wrong = try await browser.post("/console/teams", ["certificate": "not a certificate"])
            #expect(wrong.status == 422 && wrong.text.contains("aria-invalid=\"true\""))
            let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
            #expect(try await browser.post("/console/teams", ["certificate": garbage]).status == 422)
            let team = try TeamPackage()
            let pem =
                "-----BEGIN CERTIFICATE-----\r\n\(team.certificateDER.base64EncodedString(options: .lineLength64Characters))"
                + "\r\n-----END CERTIFICATE-----\r\n"
            let added = try await browser.post("/console/teams", ["certificate": pem])
            #expect(added.status == 303, "\(added.text)")
            let listed: Page<Team> = try await admin.get("/teams")
            let one = try #require(listed.items.first)
            #expect(Data(base64Encoded: one.certificate) == team.certificateDER)
            #expect(try await browser.get("/console/teams").text.contains(one.fingerprint))
            #expect(try await browser.post("/console/teams/\(one.fingerprint)/remove").status == 303)
            #expect(try await admin.get("/teams", Page<Team>.self).items.isEmpty)
        }
    }

    @Test("activity is narrowed by who, what and when; an action that there is not is told with those that there are")
    func activity() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "new")).status == 201)
            let page = "/console/activity"
            let made = try await browser.get(page + "?action=group.create").text
            #expect(made.contains("group.create") && !made.contains("session.open"))
            let never = try await browser.get(page + "?action=group.create&until=2001-01-01").text
            #expect(never.contains("No entry matches"))
            #expect(try await browser.get(page + "?since=2001-01-01").text.contains("group.create"))
            for query in ["action=no.such", "since=yesterday"] {
                let wrong = try await browser.get(page + "?\(query)")
                #expect(wrong.status == 400 && wrong.text.contains("role=\"alert\""))
                #expect(wrong.text.contains("name=\"actor\""), "the filters are still there")
            }
        }
    }

    @Test("whoever may only look finds nothing to change on the new pages, and every form is refused")
    func readers() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            try #require(
                try await admin.send("POST", "/groups", Group(name: "new", rule: "os = linux")).status == 201)
            let carl = PersonDetails(email: "carl@example.org")
            try #require(try await admin.send("PUT", "/people/carl", carl).status == 200)
            let invitation = InvitationRequest(group: "teachers")
            try #require(try await admin.send("PUT", "/people/carl/invitation", invitation).status < 300)
            let wish = AdministratorRequest(name: "ruth", role: .reader)
            let added = try await admin.send("POST", "/administrators", wish)
            let once = try AdminJSON.decode(AdministratorPassword.self, from: added.body).oneTimePassword
            try await browser.signIn("ruth", once)
            let password = "/console/password"
            let fields = ["old": once, "new": AdminClient.password, "again": AdminClient.password]
            try #require(try await browser.post(password, fields, from: password).status == 303)
            for page in [
                "groups/new/rule", "people/carl", "apps/org.swift.landmarks/sources", "teams", "people", "invitations",
            ] {
                let answer = try await browser.get("/console/\(page)")
                let main = answer.text.components(separatedBy: "<main").last ?? ""
                #expect(answer.status == 200 && !main.contains("method=\"post\""), "\(page)")
            }
            for (page, form) in [
                ("groups/new/rule", ["rule": "os = ios", "do": "save"]), ("people/carl", ["fullName": "C"]),
                ("new/person", ["userName": "d"]), ("teams", ["certificate": ""]),
                ("apps/org.swift.landmarks/sources", ["platform": "linux", "origin": "installed"]),
                ("people/carl/invitation", ["group": "new"]),
            ] {
                #expect(try await browser.post("/console/\(page)", form).status >= 400, "\(page)")
            }
            #expect(try await admin.get("/groups/new", Group.self).rule == "os = linux")
        }
    }
}
