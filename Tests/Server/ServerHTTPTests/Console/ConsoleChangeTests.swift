import AdminMessages
import Foundation
import Testing

/// What administrators change in the console beside configurations.
@Suite("Console: groups, assignments, secrets, enrollment")
struct ConsoleChangeTests {
    @Test("a group is made and an app given to it and taken away again")
    func assigning() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            #expect(try await browser.post("/console/groups", ["name": "teachers"]).status == 303)
            #expect(try await browser.post("/console/groups", ["name": "teachers"]).status == 409)
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"), group: "pupils")
            let page = "/console/apps/org.swift.landmarks/assignments"
            let given = try await browser.post(
                page, ["group": "teachers", "configuration": "default", "trust": "verified", "delivery": "both"])
            #expect(given.status == 303, "\(given.text)")
            let one: Assignment = try await admin.get("/assignments/teachers/org.swift.landmarks")
            #expect(one.configuration == "default" && one.lowestTrust == "verified" && one.delivery == "both")
            #expect(try await browser.get(page).text.contains("By the framework and as its defaults dictionary"))
            let form = try await browser.get(page + "/teachers").text
            #expect(form.contains("<option value=\"both\" selected>") && form.contains("no place for secrets"))
            #expect(try await browser.get("/console/groups/teachers").text.contains("org.swift.landmarks"))
            // S4-FLOW-04: its extensions get configurations of their own, said with the app's.
            let tunnel = "org.swift.landmarks.tunnel"
            let base = try #require(
                try await admin.send("GET", "/assignments/teachers/org.swift.landmarks").headers["etag"])
            var fields = ["base": base, "configuration": "default", "trust": "verified"]
            fields["extensions"] = "\(tunnel) = default\r\n\r\n"
            #expect(try await browser.post(page + "/teachers", fields).status == 303)
            let both: Assignment = try await admin.get("/assignments/teachers/org.swift.landmarks")
            #expect(both.extensions == [tunnel: "default"] && both.configuration == "default")
            #expect(try await browser.get(page + "/teachers").text.contains("\(tunnel)=default</textarea>"))
            fields["base"] = nil
            fields["extensions"] = tunnel
            let nameless = try await browser.post(page + "/teachers", fields)
            #expect([404, 412, 422].contains(nameless.status) && nameless.text.contains("role=\"alert\""))
            #expect(try await admin.get("/assignments/teachers/org.swift.landmarks", Assignment.self) == both)
            #expect(try await browser.get(page).text.contains("teachers"))
            let unknown = try await browser.post(
                page, ["group": "nobody", "configuration": "default", "trust": "launched"])
            #expect(unknown.status == 404 && unknown.text.contains("role=\"alert\""))
            #expect(try await browser.post(page + "/teachers/remove").status == 303)
            #expect(try await admin.send("GET", "/assignments/teachers/org.swift.landmarks").status == 404)
        }
    }

    @Test("a secret is set, set anew and given to an app, and no page shows it")
    func secrets() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            let value = "correct horse battery staple"
            let fields = ["name": "account", "kind": "password", "user": "landmarks", "password": value]
            #expect(try await browser.post("/console/new/secret", fields).status == 303)
            let again = try await browser.post("/console/new/secret", fields)
            #expect(again.status == 412 && !again.text.contains(value))
            // Red: the new version was without the user name that nobody had mentioned.
            let nameless = try await browser.post(
                "/console/secrets/account", ["kind": "password", "password": value + "!", "base": "1"])
            #expect(nameless.status == 422 && nameless.text.contains("type it again"), "\(nameless.text)")
            let renewed = try await browser.post(
                "/console/secrets/account",
                ["kind": "password", "user": "landmarks", "password": value + "!", "base": "1"])
            #expect(renewed.status == 303, "\(renewed.text)")
            let late = try await browser.post(
                "/console/secrets/account", ["kind": "password", "password": value, "base": "1"])
            #expect(late.status == 412 && !late.text.contains(value))
            let app = "/console/apps/org.swift.landmarks/secrets"
            let given = try await browser.post(
                app, ["identifier": "server", "secret": "account", "group": "teachers"])
            #expect(given.status == 303, "\(given.text)")
            for page in [app, "/console/secrets", "/console/secrets/account"] {
                let text = try await browser.get(page).text
                #expect(text.contains("account") && !text.contains(value))
            }
            let secret: Secret = try await admin.get("/secrets/account")
            #expect(secret.version == 2)
            let taken = try await browser.post(
                app + "/remove", ["group": "teachers", "kind": "password", "identifier": "server", "extension": ""])
            #expect(taken.status == 303)
            #expect(try await browser.post("/console/secrets/account/remove").status == 303)
            #expect(try await admin.send("GET", "/secrets/account").status == 404)
        }
    }

    @Test("an enrollment code is shown once, as a command and as a picture, and can be revoked")
    func enrollment() async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            _ = try await admin.send("POST", "/groups", Group(name: "teachers"))
            let made = try await browser.post(
                "/console/enrollment", ["group": "teachers", "valid": "3600", "ownership": "organization"])
            #expect(made.status == 200, "\(made.text)")
            let command = try #require(
                made.text.firstMatch(
                    of: /martlet-agent enroll --url (https:[^ ]+) --ca-fingerprint [0-9a-f]{64}/))
            let code = try #require(made.text.firstMatch(of: /[a-z2-7]{32}/)?.0)
            #expect(!command.0.contains(code))
            #expect(made.text.contains("<svg class=\"qr\" role=\"img\" aria-label=\"QR code of the address https:"))
            let list = try await browser.get("/console/enrollment").text
            #expect(list.contains("teachers") && !list.contains(code))
            let codes: Page<EnrollmentCodeSummary> = try await admin.get("/enrollment-codes")
            let id = try #require(codes.items.first?.id)
            #expect(try await browser.post("/console/enrollment/\(id)/revoke").status == 303)
            let revoked: Page<EnrollmentCodeSummary> = try await admin.get("/enrollment-codes")
            #expect(revoked.items.map(\.state) == [.revoked])
        }
    }
}
