import AdminMessages
import ApplePush
import DeviceMessages
import Foundation
import Management
import TestLog
import Testing
import Waiting

/// Apple devices are woken by a push service over HTTP/2 that was not written here.
@Suite(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's h2 is not installed: make setup does so"))
struct ApplePushTests {
    private func with(
        clock: TestClock = TestClock(),
        _ test: (PushPeer, TestServer, AdminClient) async throws -> Void
    ) async throws {
        try await PushPeer.run { (peer) async throws in
            try await TestServer.run(clock: clock, push: peer.service) { (server) async throws in
                try await AdminClient.with(server) { (admin) async throws in try await test(peer, server, admin) }
            }
        }
    }

    private func upload(_ peer: PushPeer, _ admin: AdminClient) async throws {
        let answer = try await admin.send(
            "PUT", "/push-credential", PushCredentialRequest(certificate: peer.certificate, key: peer.key))
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func topic(_ code: String, _ server: TestServer) async throws -> String? {
        try await server.management.enrollmentProfile(code: code).value?.mdm.topic
    }

    private func isOurs(_ token: String) -> (PushPeer.Push) -> Bool { { $0.token == token && $0.status == 200 } }

    /// A push names topic and PushMagic, is for the device of its newest TokenUpdate, and is sent once for many changes.
    @Test func aCommandWakesAnAppleDevice() async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                _ = try await device.updateToken(magic: "newer magic", token: Data([0xAB, 0x01]))
                _ = try await admin.send(
                    "POST", "/devices/\(device.identifier.key)/commands", CommandRequest(requestType: "ProfileList"))
                let push = try #require(try await peer.pushes(1, isOurs("ab01")).first)
                #expect(push.topic == PushPeer.topic)
                #expect(push.body == #"{"mdm":"newer magic"}"#)
                #expect(!push.authorization)
            }
        }
    }

    /// A change for a group reaches its Apple devices; Martlet's own agents are not pushed.
    @Test func aChangeForAGroupWakesItsAppleDevicesAlone() async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                _ = try await device.updateToken(token: Data([0x0A]))
                let agent = CheckInMessage.authenticate(
                    Authenticate(identifier: device.identifier, topic: device.topic, agentVersion: "1.0"))
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await peer.pushes(1, isOurs("0a"))
                // The same enrollment, spoken for by Martlet's agent from now on.
                #expect(try await device.checkIn(agent).status == 200)
                _ = try await device.updateToken(token: Data([0x0B]))
                let counts = try #require(try await server.management.pushCredential()).counts
                #expect(counts == PushCounts(reachable: 0, retired: 0))
            }
        }
    }

    /// A token that the push service refuses for good is used no more, until the device sends another one.
    @Test func aTokenThatIsRefusedForGoodIsRetired() async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try peer.fails(#"{"0c": [{"status": 410, "reason": "Unregistered"}]}"#)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                let command = CommandRequest(requestType: "ProfileList")
                let path = "/devices/\(device.identifier.key)/commands"
                _ = try await device.updateToken(token: Data([0x0C]))
                _ = try await admin.send("POST", path, command)
                try await peer.pushes(1) { $0.token == "0c" && $0.status == 410 }
                try await eventually("the log says so") {
                    server.log.say("the push service refuses a device's token")
                }
                let credential: AdminMessages.PushCredential = try await admin.get("/push-credential")
                #expect((credential.reachable, credential.retired) == (0, 1))
                _ = try await admin.send("POST", path, command)
                // The same token again is still refused; a newer one counts.
                _ = try await device.updateToken(token: Data([0x0C]))
                _ = try await device.updateToken(token: Data([0x0D]))
                _ = try await admin.send("POST", path, command)
                try await peer.pushes(1, isOurs("0d"))
                #expect(try peer.pushes.filter { $0.token == "0c" }.count == 1)
            }
        }
    }

    /// An overloaded, broken or vanished push service delays pushes and loses none.
    @Test(arguments: [
        #"{"status": 503, "reason": "ServiceUnavailable"}"#,
        #"{"status": 429, "reason": "TooManyProviderTokenUpdates"}"#,
        #""goaway""#, #""close""#,
    ])
    func aFaultyPushServiceDelaysAndLosesNothing(fault: String) async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try peer.fails(#"{"0e": [\#(fault), \#(fault)]}"#)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                _ = try await device.updateToken(token: Data([0x0E]))
                _ = try await admin.send(
                    "POST", "/devices/\(device.identifier.key)/commands", CommandRequest(requestType: "ProfileList"))
                try await peer.pushes(3) { $0.token == "0e" }
                #expect(try peer.pushes.last { $0.token == "0e" }?.fault == nil)
                #expect(server.log.say("waking Apple devices pauses"))
            }
        }
    }

    /// After a refusal of the credential sending pauses for five minutes; a credential that an administrator uploads
    /// meanwhile is used at once, also for the last push to a device that was withdrawn.
    @Test(arguments: [false, true])
    func aNewCredentialEndsThePauseAtOnce(isWithdrawn: Bool) async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try peer.fails(#"{"1e": [{"status": 403, "reason": "BadCertificate"}]}"#)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                _ = try await device.updateToken(token: Data([0x1E]))
                let path = "/devices/\(device.identifier.key)"
                if isWithdrawn {
                    #expect(try await admin.send("DELETE", path).status == 204)
                } else {
                    _ = try await admin.send("POST", path + "/commands", CommandRequest(requestType: "ProfileList"))
                }
                try await eventually("the log says so") { server.log.say("waking Apple devices pauses") }
                #expect(try peer.pushes.filter(isOurs("1e")).isEmpty)
                let renewed = PushCredentialRequest(certificate: peer.renewed.certificate, key: peer.renewed.key)
                #expect(try await admin.send("PUT", "/push-credential", renewed).status == 200)
                try await peer.pushes(1, isOurs("1e"))
            }
        }
    }

    /// With a credential the profile has its topic; a renewal keeps the topic of the enrollment.
    @Test func theProfileHasTheTopicOfTheCredential() async throws {
        try await with { (peer, server, admin) async throws in
            let before = try await admin.code().code
            #expect(try await topic(before, server) != PushPeer.topic)
            try await upload(peer, admin)
            let code = try await admin.code().code
            #expect(try await topic(code, server) == PushPeer.topic)
        }
    }

    /// A credential with another topic would silence enrolled devices: it is taken only when that is asked for.
    @Test func anotherTopicIsRefusedUnlessItIsAskedFor() async throws {
        try await with { (peer, _, admin) async throws in
            try await upload(peer, admin)
            let topic = "com.apple.mgmt.External.other"
            let other = try await PushPeer.certificate(topic: topic, days: 90, in: peer.folder)
            var request = PushCredentialRequest(certificate: other.certificate, key: other.key)
            let refused = try await admin.send("PUT", "/push-credential", request)
            #expect(refused.status == 422 && refused.text.contains(topic))
            request.replaceTopic = true
            #expect(try await admin.send("PUT", "/push-credential", request).status == 200)
        }
    }

    /// Red: the console's form removed a credential that was uploaded after its page was shown.
    @Test func aCredentialIsRemovedOnlyAsThePageShowedIt() async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try await ConsoleBrowser.with(server) { (browser) async throws in
                try await browser.signIn()
                let page = "/console/push-credential"
                let shown = try ConsoleRemovalTests.carried(by: page + "/remove", in: try await browser.get(page).text)
                let other = try await PushPeer.certificate(
                    topic: "com.apple.mgmt.External.other", days: 90, in: peer.folder)
                let request = PushCredentialRequest(
                    certificate: other.certificate, key: other.key, replaceTopic: true)
                try #require(try await admin.send("PUT", "/push-credential", request).status == 200)
                let late = try await browser.post(page + "/remove", shown)
                #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
                #expect(try await admin.send("GET", "/push-credential").status == 200)
                let now = try ConsoleRemovalTests.carried(by: page + "/remove", in: late.text)
                #expect(try await browser.post(page + "/remove", now).status == 303)
                #expect(try await admin.send("GET", "/push-credential").status == 404)
            }
        }
    }

    /// What is no MDM push certificate, or not its key, is refused with the rule; the key is never shown.
    @Test func whatIsNoPushCertificateIsRefused() async throws {
        try await with { (peer, server, admin) async throws in
            let app = try await PushPeer.certificate(topic: "org.example.app", days: 90, in: peer.folder)
            for (certificate, key, rule) in [
                (app.certificate, app.key, "no MDM push certificate"), (peer.certificate, app.key, "not the key"),
                ("none", peer.key, "is PEM"), (peer.certificate, "none", "one key in PEM"),
            ] {
                let answer = try await admin.send(
                    "PUT", "/push-credential", PushCredentialRequest(certificate: certificate, key: key))
                #expect(answer.status == 422 && answer.text.contains(rule), "\(answer.text)")
            }
            #expect(try await admin.send("GET", "/push-credential").status == 404)
            try await upload(peer, admin)
            #expect(!(try await admin.send("GET", "/push-credential")).text.contains("PRIVATE KEY"))
            #expect(!server.log.all.contains { $0.contains("PRIVATE KEY") })
            #expect(try await admin.send("DELETE", "/push-credential").status == 204)
            #expect(try await admin.send("GET", "/push-credential").status == 404)
        }
    }

    /// A withdrawn device is pushed once more, so that it learns of it.
    @Test func aWithdrawnDeviceIsPushedOnceMore() async throws {
        try await with { (peer, server, admin) async throws in
            try await upload(peer, admin)
            try await PlayedDevice.with(server, admin) { (device) async throws in
                _ = try await device.updateToken(token: Data([0x0F]))
                let answer = try await admin.send("DELETE", "/devices/\(device.identifier.key)")
                #expect(answer.status == 204, "\(answer.text)")
                try await peer.pushes(1, isOurs("0f"))
            }
        }
    }
}
