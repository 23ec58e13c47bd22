import AdminMessages
import AsyncHTTPClient
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import SCEP
import ServerHTTP
import TestLog
import Testing

/// Enrollment by account and of expected devices, as any client of the protocol speaks it (D1).
struct AccountEnrollmentRouteTests {
    private typealias Page = AdminMessages.Page

    private func description(_ info: MachineInfo) throws -> Data {
        let key = try DeviceKeys.first()
        let certificate = try SCEPClient.selfSigned(subject: [[["CN", "factory"]]], key: key, now: Date())
        return try SignedMessage.sign(
            info.encoded(), attributes: [:], certificateDER: certificate, key: LibraryKey(key))
    }

    private func anonymous() throws -> Data { try description(MachineInfo(product: "iPhone14,5", version: "22A1")) }

    /// S4-PLAT-05, S4-IDP-02: discovery, the demand to sign in, the page, the profile, as Apple's devices ask for them.
    @Test func aDeviceThatKnowsNothingButAnAccountGetsItsProfile() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let invitation = try await admin.invite()
                let query = "?user-identifier=anna%40example.org&model-family=iPhone"
                let found = try await admin.client.send("GET", server.baseURL + EnrollmentDiscovery.path + query)
                #expect(found.status == 200 && found.headers["content-type"] == "application/json")
                let discovery = try EnrollmentDiscovery(parsing: found.body)
                #expect(discovery.mode == .ownDevice)
                let none = try await admin.client.send("GET", server.baseURL + EnrollmentDiscovery.path)
                #expect(none.status == 404)

                let first = try await admin.client.send("POST", discovery.baseURL, body: try anonymous())
                #expect(first.status == 401)
                let challenge = try SignInChallenge(parsing: first.headers["www-authenticate"] ?? "")
                #expect(challenge.method == "apple-as-web")
                let page = try await admin.client.send("GET", challenge.url + "?user-identifier=%22%3E%3Cb%3E")
                #expect(page.status == 200 && page.text.contains("<form") && !page.text.contains("<b>"))
                #expect(page.headers["martlet-sign-in"] == "password")

                let signedIn = try await admin.signIn(server, "ANNA@example.org", invitation.password)
                #expect(signedIn.status == 308)
                let token = try SignInResult(parsing: signedIn.headers["location"] ?? "").token
                let headers = ["Authorization": "Bearer \(token)"]
                for _ in 0..<2 {
                    let answer = try await admin.client.send(
                        "POST", discovery.baseURL, headers: headers, body: try anonymous())
                    #expect(answer.status == 200 && answer.headers["content-type"] == MediaType.profile)
                    let profile = try EnrollmentProfile(parsing: answer.body)
                    #expect(profile.mdm.account == .init(mode: .ownDevice, name: "anna@example.org"))
                    #expect(profile.mdm.accessRights == nil && profile.scep?.challenge == token)
                }
                let other = try await admin.client.send(
                    "POST", discovery.baseURL, headers: ["Authorization": "Bearer no"], body: try anonymous())
                #expect(other.status == 401 && other.headers["www-authenticate"] == challenge.text)
                let unsigned = MachineInfo(product: "p", version: "v").encoded()
                #expect(try await admin.client.send("POST", discovery.baseURL, body: unsigned).status == 400)
                // The token opens no other door.
                #expect(try await admin.client.send("GET", "\(server.baseURL)/enroll/\(token)").status == 404)
                for secret in [token, invitation.password] { #expect(!server.log.all.contains { $0.contains(secret) }) }
            }
        }
    }

    /// Guesses are slowed down, and an account that nobody invited is answered like a wrong password.
    @Test func guessesAtAPasswordAreSlowedDownAndTellNothing() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let invitation = try await admin.invite()
                let wrong = try await admin.signIn(server, "anna@example.org", "wrong")
                let nobody = try await admin.signIn(server, "nobody@example.org", "wrong")
                #expect(wrong.status == 403 && nobody.status == 403)
                #expect(wrong.text.replacing("anna", with: "nobody") == nobody.text)
                // However long the machine takes, the wait after so many is minutes.
                for _ in 0..<12 {
                    clock.advance(by: 301)
                    #expect(try await admin.signIn(server, "anna@example.org", "wrong").status == 403)
                }
                let right = try await admin.signIn(server, "anna@example.org", invitation.password)
                #expect(right.status == 429 && right.headers["retry-after"] != nil)
                // Administrators are not kept out by it.
                #expect(try await admin.send("GET", "/invitations").status == 200)
                let large = try await admin.signIn(server, "anna@example.org", String(repeating: "a", count: 10_000))
                #expect(large.status == 413)
            }
        }
    }

    @Test func anInvitationEndsWithItsTimeOrByAnAdministrator() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let invitation = try await admin.invite()
                let listed: Page<InvitationSummary> = try await admin.get("/invitations")
                #expect(listed.items.map(\.account) == ["anna@example.org"] && listed.items.first?.person == "anna")
                #expect(try await admin.send("DELETE", "/people/anna/invitation").status == 204)
                #expect(try await admin.send("DELETE", "/people/anna/invitation").status == 404)
                #expect(try await admin.signIn(server, "anna@example.org", invitation.password).status == 403)
                let second = try await admin.invite(validSeconds: 60)
                clock.advance(by: 60)
                #expect(try await admin.signIn(server, "anna@example.org", second.password).status == 403)
                let wish = InvitationRequest(group: "teachers", account: "no-domain")
                let wrong = try await admin.send("PUT", "/people/anna/invitation", wish)
                #expect(wrong.status == 422 && wrong.text.contains("anna@example.org"), "\(wrong.text)")
            }
        }
    }

    /// D13: who came by an account and is signed out hears 401 with the way to sign in, on every route, and comes back by it.
    @Test func whoIsSignedOutIsToldHowToSignInAndNobodyElseHears401() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (owned) async throws in
                    let device = try await PlayedDevice.byAccount(
                        admin.signIn("anna", server), server, owned.client)
                    let id = device.identifier.key
                    #expect(try await device.ask(.tokens).status == 200)
                    func detail() async throws -> DeviceDetail { try await admin.get("/devices/\(id)") }
                    #expect(try await detail().signIn?.needed == false)
                    #expect(try await admin.send("POST", "/devices/\(id)/sign-out").status == 204)
                    #expect(try await detail().signIn?.needed == true)
                    let challenge = SignInChallenge(url: server.baseURL + "/enroll/account/sign-in").text
                    for shown in [device, device.showing(nil), device.showing("guessed")] {
                        let idle = CommandReport(identifier: device.identifier, status: .idle).encoded()
                        for answer in [
                            try await shown.ask(.tokens), try await shown.updateToken(),
                            try await shown.send("/mdm/command", idle),
                        ] {
                            #expect(answer.status == 401 && answer.headers["www-authenticate"] == challenge)
                        }
                    }
                    try await server.client(identity: device.identity).with { (client) async throws in
                        let digest = String(repeating: "0", count: 64)
                        for path in ["/mdm/assets/\(digest)", "/mdm/credentials/a/1", "/mdm/wake"] {
                            let answer = try await client.send("GET", server.baseURL + path)
                            #expect(answer.status == 401 && answer.headers["www-authenticate"] == challenge, "\(path)")
                        }
                    }
                    // A device of the organization's is served whatever it shows, and can not be signed out.
                    #expect(try await owned.showing("guessed").ask(.tokens).status == 200)
                    let refused = try await admin.send("POST", "/devices/\(owned.identifier.key)/sign-out")
                    #expect(refused.status == 422)

                    let again = device.showing(try await admin.signIn("anna", server))
                    #expect(try await again.ask(.tokens).status == 200)
                    #expect(try await device.ask(.tokens).status == 401)
                    #expect(try await detail().signIn?.needed == false)
                    #expect(server.log.say("device refused", "has to sign in again"))
                }
            }
        }
    }

    /// Many are expected at once; a mistake is named by its line.
    @Test func aFileOfSerialNumbersIsTakenAsAWhole() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "teachers"))
                func bring(_ text: String, _ query: String) async throws -> Answer {
                    try await admin.send("POST", "/expected-devices/import" + query, body: Data(text.utf8))
                }
                let query = "?group=teachers&trustSerialNumber=true&awaitConfiguration=true"
                let refused = try await bring("SN-1\nSN-2\nSN-1\n", query)
                #expect(refused.status == 422 && refused.text.contains("line 3"), "\(refused.text)")
                let none: Page<AdminMessages.ExpectedDevice> = try await admin.get("/expected-devices")
                #expect(none.items.isEmpty)
                let answer = try await bring("SN-1\nSN-2\n", query)
                let change = try AdminJSON.decode(ExpectedDevicesAnswer.self, from: answer.body)
                #expect(change == ExpectedDevicesAnswer(added: 2, changed: 0, unchanged: 0, came: 0))
                let info = MachineInfo(product: "Linux", version: "6", udid: "U", serialNumber: "SN-2")
                let profile = try await admin.client.send(
                    "POST", server.baseURL + "/enroll/automatic", body: try description(info))
                #expect(try EnrollmentProfile(parsing: profile.body).awaitsConfiguration)
            }
        }
    }

    /// Each profile is a right that is written down: who knows a serial number makes few of them.
    @Test func anAddressAsksForFewProfilesOfOneDevice() async throws {
        var limits = ServerLimits.patient
        limits.automatedEnrollmentsOfDevice = 2
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                func ask(_ serial: String) async throws -> UInt {
                    let info = MachineInfo(product: "Linux", version: "6", udid: "U", serialNumber: serial)
                    return try await client.send(
                        "POST", server.baseURL + "/enroll/automatic", body: try description(info)
                    ).status
                }
                for status: UInt in [404, 404, 429] { #expect(try await ask("SN-1") == status) }
                #expect(try await ask("SN-2") == 404)
            }
        }
    }

    /// A serial number that is expected opens a profile; every other answer is the same.
    @Test func anExpectedDeviceGetsAProfileThatItsUserCannotRemove() async throws {
        var limits = ServerLimits.patient
        limits.automatedEnrollments = 6
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "teachers"))
                func expect(_ request: ExpectedDeviceRequest) async throws -> Answer {
                    try await admin.send("PUT", "/expected-devices/SN-1", request)
                }
                func ask(_ serial: String?) async throws -> Answer {
                    let info = MachineInfo(product: "Linux", version: "6", udid: "U", serialNumber: serial)
                    return try await admin.client.send(
                        "POST", server.baseURL + "/enroll/automatic", body: try description(info))
                }
                #expect(try await ask("SN-1").status == 404)
                let unproven = try await expect(ExpectedDeviceRequest(group: "teachers"))
                #expect(unproven.status == 422 && unproven.text.contains("known by its chip"), "\(unproven.text)")
                let chip = ExpectedDeviceRequest(group: "teachers", chip: String(repeating: "a", count: 64))
                let chipless = try await expect(chip)
                #expect(chipless.status == 422 && chipless.text.contains("acme-attested"), "\(chipless.text)")
                let trusting = ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true)
                #expect(try await expect(trusting).status == 204)
                let answer = try await ask("SN-1")
                let profile = try EnrollmentProfile(parsing: answer.body)
                #expect(profile.removalDisallowed && profile.mdm.account == nil && profile.mdm.accessRights == 8191)
                for serial in ["SN-2", nil] {
                    let refused = try await ask(serial)
                    #expect(refused.status == 404 && refused.body.isEmpty)
                }
                let listed: Page<AdminMessages.ExpectedDevice> = try await admin.get("/expected-devices")
                #expect(listed.items.map(\.serialNumber) == ["SN-1"] && listed.items.first?.used == nil)
                #expect(try await admin.send("DELETE", "/expected-devices/SN-1").status == 204)
                #expect(try await ask("SN-1").status == 404)
                #expect(server.log.say("automated enrollment refused", "no device with this serial number"))
                // The sixth was the last of these ten minutes.
                _ = try await ask("SN-1")
                #expect(try await ask("SN-1").status == 429)
            }
        }
    }
}
