import AdminMessages
import Crypto
import DeviceMessages
import Foundation
import Testing

/// What a page's form puts in the place of something, or ends, is what the page showed; the forms beside removals.
@Suite("Console: replaced as shown")
struct ConsoleShownTests {
    private static func with(
        clock: TestClock = TestClock(), _ test: (AdminClient, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    try await test(admin, browser)
                }
            }
        }
    }

    private static func carried(by address: String, in text: String) throws -> [String: String] {
        try ConsoleRemovalTests.carried(by: address, in: text)
    }

    /// Red: the form gave a device to another person, or took it away, even where its person had changed since the page was
    /// shown.
    @Test("a device is taken from a person only by who was told that it is theirs")
    func holders() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await Self.expectHolders(of: device.identifier.key, admin, browser)
                    }
                }
            }
        }
    }

    private static func expectHolders(of id: String, _ admin: AdminClient, _ browser: ConsoleBrowser) async throws {
        for name in ["anna", "bea"] {
            try #require(try await admin.send("PUT", "/people/\(name)", PersonDetails(fullName: name)).status == 200)
        }
        func holder() async throws -> String? {
            let answer = try await admin.send("GET", "/devices/\(id)/person")
            return answer.status == 404
                ? nil : try AdminJSON.decode(DevicePersonRequest.self, from: answer.body).userName
        }
        let (annas, beas) = ("/console/people/anna/devices", "/console/people/bea/devices")
        #expect(try await browser.post(annas, ["device": id]).status == 303)
        #expect(try await browser.post(annas, ["device": id]).status == 303, "it is so already")
        let told = try await browser.post(beas, ["device": id])
        #expect(told.status == 412 && told.text.contains("is the device of"), "\(told.text)")
        #expect(try await holder() == "anna")
        let form = try carried(by: beas, in: told.text)
        let otherwise = try await browser.post(beas, form.merging(["device": "another"]) { $1 })
        #expect(otherwise.status == 404, "the form of one device is not taken for another")
        #expect(try await browser.post(beas, form.merging(["device": id]) { $1 }).status == 303)
        #expect(try await holder() == "bea")
        let late = try await browser.post(annas + "/\(id)/remove")
        #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
        #expect(try await holder() == "bea")
        #expect(try await browser.post(beas + "/\(id)/remove").status == 303)
        #expect(try await holder() == nil)
    }

    /// Red: the invitation that somebody else had made ended, and with it the password that they had handed over.
    @Test("an invitation ends, or gives way to another, only as the page showed it")
    func invitations() async throws {
        try await Self.with { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
            let details = PersonDetails(email: "anna@example.org")
            try #require(try await admin.send("PUT", "/people/anna", details).status == 200)
            func invite(_ days: Int) async throws {
                let wish = InvitationRequest(group: "teachers", validSeconds: days * 86_400)
                try #require(try await admin.send("PUT", "/people/anna/invitation", wish).status == 201)
            }
            func kept() async throws -> InvitationSummary { try await admin.get("/people/anna/invitation") }
            let form = "/console/people/anna/invitation"
            let wish = ["group": "teachers", "valid": "86400"]
            let shown = try Self.carried(by: form, in: try await browser.get("/console/people/anna").text)
            try await invite(2)
            let first = try await kept()
            let told = try await browser.post(form, wish.merging(shown) { $1 })
            #expect(told.status == 412 && told.text.contains("They are invited as anna@example.org"), "\(told.text)")
            #expect(try await kept() == first)
            let seen = try Self.carried(by: form, in: told.text)
            let made = try await browser.post(form, wish.merging(seen) { $1 })
            #expect(made.status == 200 && made.text.contains("It is shown only once"), "\(made.text)")

            let list = "/console/invitations"
            let ending = try Self.carried(by: form + "/remove", in: try await browser.get(list).text)
            try await invite(3)
            let late = try await browser.post(form + "/remove", ending)
            #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
            #expect(try await kept().account == "anna@example.org")
            let now = try Self.carried(by: form + "/remove", in: late.text)
            #expect(try await browser.post(form + "/remove", now).status == 303)
            #expect(try await admin.send("GET", "/people/anna/invitation").status == 404)
        }
    }

    /// Red: the second of two new secrets ended the first, which its receiver had just been given.
    @Test("a webhook's secret is made anew only by who saw the present one's age")
    func rotations() async throws {
        let clock = TestClock()
        try await Self.with(clock: clock) { (admin, browser) async throws in
            let wish = WebhookRequest(name: "tickets", url: "https://webhooks.invalid/a", events: ["secret.*"])
            try #require(try await admin.send("POST", "/webhooks", wish).status == 201)
            let (page, form) = ("/console/webhooks/tickets", "/console/webhooks/tickets/secret")
            let shown = try Self.carried(by: form, in: try await browser.get(page).text)
            clock.advance(by: 60)
            let rotation = WebhookRotationRequest(overlapSeconds: 3_600)
            try #require(try await admin.send("POST", "/webhooks/tickets/secret", rotation).status == 201)
            let made = try await admin.get("/webhooks/tickets", Webhook.self).secretMade
            let late = try await browser.post(form, shown.merging(["overlap": "0"]) { $1 })
            #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
            #expect(try await admin.get("/webhooks/tickets", Webhook.self).secretMade == made)
            let now = try Self.carried(by: form, in: late.text)
            #expect(try await browser.post(form, now.merging(["overlap": "0"]) { $1 }).status == 200)
        }
    }

    /// Red: the one-time password that somebody else had handed over was worth nothing any more.
    @Test("a password is reset only by who saw whether it is one-time")
    func passwords() async throws {
        try await Self.with { (admin, browser) async throws in
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn(as: .reader, admin)
            }
            let page = "/console/administrators/reader"
            let form = page + "/password"
            let shown = try Self.carried(by: form, in: try await browser.get(page).text)
            let reset = try await admin.send("POST", "/administrators/reader/password")
            let once = try AdminJSON.decode(AdministratorPassword.self, from: reset.body).oneTimePassword
            let late = try await browser.post(form, shown)
            #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                #expect(try await other.signIn("reader", once).status == 303, "it is good still")
            }
            let now = try Self.carried(by: form, in: late.text)
            #expect(try await browser.post(form, now).status == 200)
        }
    }

    /// Red: the form made for a command that waits forgot one that the device had been given; another enrollment of the
    /// device was withdrawn than the page was of.
    @Test("a command is taken back, and an enrollment withdrawn, only as the page showed it")
    func devices() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await Self.expectDeviceForms(of: device, admin, browser)
                    }
                }
            }
        }
    }

    private static func expectDeviceForms(
        of device: PlayedDevice, _ admin: AdminClient, _ browser: ConsoleBrowser
    ) async throws {
        let place = "/devices/\(device.identifier.key)"
        let queued = try await admin.send("POST", place + "/commands", CommandRequest(requestType: "ProfileList"))
        let uuid = try AdminJSON.decode(CommandSummary.self, from: queued.body).uuid
        let page = "/console\(place)/commands/\(uuid)"
        let shown = try carried(by: page + "/remove", in: try await browser.get(page).text)
        var given = try await device.report(.idle)
        while let command = given, command.uuid != uuid { given = try await device.report(.acknowledged, command) }
        #expect(given?.uuid == uuid)
        let late = try await browser.post(page + "/remove", shown)
        #expect(late.status == 412 && late.text.contains("Do not send it again"), "\(late.text)")
        let now = try carried(by: page + "/remove", in: late.text)
        #expect(try await browser.post(page + "/remove", now).status == 303)

        let form = "/console\(place)/enrollment/withdraw"
        var wish = try carried(by: form, in: try await browser.get("/console\(place)/enrollment").text)
        wish["confirmed"] = "1"
        let another = wish.merging(["before.enrolled": "2001-01-01T00:00:00.000Z"]) { $1 }
        let refused = try await browser.post(form, another)
        #expect(refused.status == 412 && refused.text.contains("role=\"alert\""), "\(refused.text)")
        #expect(try await admin.get(place, DeviceDetail.self).state == .enrolled)
        #expect(try await browser.post(form, wish).status == 303)
        #expect(try await admin.get(place, DeviceDetail.self).state == .withdrawn)
    }

    /// Red: the credential that somebody else had uploaded was replaced.
    @Test("a push credential is uploaded only over what the page showed")
    func pushCredentials() async throws {
        try await Self.with { (admin, browser) async throws in
            let page = "/console/push-credential"
            let shown = try Self.carried(by: page, in: try await browser.get(page).text)
            let theirs = PushCredentialRequest(
                key: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABCDE12345", teamID: "FGHIJ67890",
                topic: "com.apple.mgmt.External.test")
            try #require(try await admin.send("PUT", "/push-credential", theirs).status == 200)
            let kept = try await admin.get("/push-credential", PushCredential.self)
            let late = try await browser.post(page, shown.merging(["certificate": "c", "key": "k"]) { $1 })
            #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
            #expect(try await admin.get("/push-credential", PushCredential.self) == kept)
            // What the page shows now is held to the rules of certificates alone.
            let now = try Self.carried(by: page, in: late.text)
            #expect(try await browser.post(page, now.merging(["certificate": "c", "key": "k"]) { $1 }).status == 422)
        }
    }
}
