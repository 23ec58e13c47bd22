import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import TestLog
import Testing

/// Who is let in, and what the others are told: never 401, at which devices would unenrol.
@Suite struct DeviceAuthenticationTests {
    @Test func aReplayedSignatureDoesNotVouchForAnotherBody() async throws {
        try await withDevice { (server, _, device) async throws in
            let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
            let signature = try device.sign(body)
            #expect(try await device.send("/mdm/command", body, signature: signature).status == 200)
            let other = CommandReport(
                identifier: device.identifier, status: .acknowledged, commandUUID: "stolen-text"
            ).encoded()
            let refused = try await device.send("/mdm/command", other, signature: signature)
            #expect(refused.status == 400)
            #expect(refused.body.isEmpty)
            #expect(server.log.say("device refused", "the body is not the one that was signed", device.identifier.id))
            #expect(!server.log.all.contains { $0.contains("stolen-text") })
        }
    }

    @Test func anotherEnrollmentsCertificateIsRefused() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
                let imposter = PlayedDevice(
                    server: server, client: device.client, udid: device.identifier.id, identity: other.identity)
                #expect(try await imposter.ask(.tokens).status == 400)
                #expect(server.log.say("not the one pinned to the enrollment", device.identifier.id))
                // Nor may it take the enrollment over.
                #expect(try await imposter.authenticate().status == 400)
                // The rightful device is not hindered by the attempt.
                #expect(try await device.ask(.tokens).status == 200)
            }
        }
    }

    @Test func aCertificateOfAnotherAuthorityIsRefusedBySignatureAndByTLS() async throws {
        try await withDevice { (server, _, device) async throws in
            let stranger = try SharedAuthority.namesake()
            let certificate = try stranger.issueDevice(
                publicKeyDER: device.identity.key.publicKeyInfo, commonName: "device", notBefore: Date() - 60,
                notAfter: Date() + 3_600)
            let identity = PlayedDevice.Identity(certificate: certificate, key: device.identity.key)
            let imposter = PlayedDevice(
                server: server, client: device.client, udid: device.identifier.id, identity: identity)
            #expect(try await imposter.ask(.tokens).status == 400)
            try await server.client(identity: identity).with { (client) async throws in
                let overTLS = PlayedDevice(
                    server: server, client: client, udid: device.identifier.id, identity: identity)
                let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                #expect(try await overTLS.send("/mdm/command", body, signature: nil).status == 400)
                #expect(try await client.send("GET", server.baseURL + "/mdm/wake").status == 400)
                #expect(server.log.say("device refused", "signature is not ours"))
            }
        }
    }

    @Test func aTLSCertificateIsAsGoodAsASignature() async throws {
        try await withDevice { (server, _, device) async throws in
            try await server.client(identity: device.identity).with { (client) async throws in
                let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                for version in 0..<2 {
                    let answer = try await client.send("PUT", server.baseURL + "/mdm/command", body: body)
                    #expect(answer.status == 200, "request \(version)")
                    #expect(try Command(parsing: answer.body).requestType == "DeclarativeManagement")
                }
            }
        }
    }

    @Test func whoShowsNothingIsRefusedWithout401() async throws {
        try await withDevice { (server, admin, device) async throws in
            let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
            let paths = ["/mdm/checkin", "/mdm/command"]
            for path in paths {
                #expect(try await device.send(path, body, signature: nil).status == 400)
                #expect(try await device.send(path, body, signature: "not Base64!").status == 400)
                #expect(try await device.send(path, body, signature: "AAAA").status == 400)
            }
            let digest = String(repeating: "0", count: 64)
            #expect(try await admin.client.send("GET", server.baseURL + "/mdm/assets/\(digest)").status == 400)
            #expect(try await admin.client.send("GET", server.baseURL + "/mdm/wake").status == 400)
            #expect(server.log.say("a device shows a certificate or signs its message"))
        }
    }

    /// D13: only an enrollment that an administrator ended hears that it is not recognized.
    @Test func aWithdrawnDeviceIsToldSoAndNoOther() async throws {
        try await withDevice { (server, admin, device) async throws in
            #expect(try await device.ask(.tokens).status == 200)
            #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
            let answer = try await device.ask(.tokens)
            #expect(answer.status == 403)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(try DeviceErrorDocument(parsing: answer.body).code == "com.apple.unrecognized.device")
            #expect(server.log.say("device refused", "withdrawn", device.identifier.id))
        }
    }

    @Test func anUnknownDeviceIsAskedToComeBackLater() async throws {
        try await withDevice { (server, admin, device) async throws in
            let code = try await admin.code().code
            let identity = try await PlayedDevice.identity(
                code: code, server, device.client, key: DeviceKeys.second())
            let unknown = PlayedDevice(server: server, client: device.client, udid: "unknown", identity: identity)
            let answer = try await unknown.ask(.tokens)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
        }
    }

    @Test func anExpiredCertificateIsRefusedEvenIfItsKeyIsRemembered() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    #expect(try await device.ask(.tokens).status == 200)
                    try await server.client(identity: device.identity).with { (client) async throws in
                        let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                        let overTLS = {
                            try await client.send("PUT", server.baseURL + "/mdm/command", body: body).status
                        }
                        #expect(try await overTLS() == 200)
                        clock.advance(by: 366 * 86_400)
                        #expect(try await device.ask(.tokens).status == 400)
                        #expect(try await overTLS() == 400)
                        #expect(server.log.say("expired"))
                    }
                }
            }
        }
    }

    @Test func aNameThatForgesALogLineStaysOneLine() async throws {
        try await withDevice { (server, _, device) async throws in
            let forger = PlayedDevice(
                server: server, client: device.client, udid: "a\nnotice device enrolled", identity: device.identity)
            let answer = try await forger.ask(.tokens)
            #expect(answer.status == 503 || answer.status == 400)
            #expect(!server.log.all.contains { $0.contains("\n") })
        }
    }

    /// A7: an Authenticate that is sent again does not take an enrolled device back to the beginning.
    @Test func aReplayedAuthenticateLeavesTheDeviceEnrolled() async throws {
        try await withDevice { (server, admin, device) async throws in
            let before = try #require(await server.management.device(device.identifier.key))
            #expect(try await device.authenticate().status == 200)
            let after = try #require(await server.management.device(device.identifier.key))
            #expect(after.state == .enrolled && after.enrolled == before.enrolled)
        }
    }

    /// A7: a message that began an enrollment, or said how its device is woken, has no effect when somebody sends it again.
    @Test func whatEnrolledADeviceHasNoEffectAgain() async throws {
        try await withDevice { (server, admin, device) async throws in
            let now = Date()
            func check(_ message: CheckInMessage, age: TimeInterval) async throws -> UInt {
                let body = message.encoded()
                let signature = try device.sign(body, at: now - age)
                return try await device.send("/mdm/checkin", body, signature: signature).status
            }
            func token(_ magic: String) -> CheckInMessage {
                .tokenUpdate(
                    TokenUpdate(
                        identifier: device.identifier, topic: device.topic, token: Data([1]), pushMagic: magic))
            }
            let authenticate = CheckInMessage.authenticate(
                Authenticate(identifier: device.identifier, topic: device.topic))
            let messages = [(authenticate, 600.0), (token("older"), 500), (token("newer"), 400)]
            for (message, age) in messages { #expect(try await check(message, age: age) == 200) }
            let command = try #require(await device.report(.idle))
            #expect(try await device.report(.acknowledged, command) == nil)
            for (message, age) in messages { #expect(try await check(message, age: age) == 200) }
            #expect(try await device.report(.idle) == nil)
            #expect(try await server.management.pushMagic(of: device.identifier.key) == "newer")
            // What the device signs anew counts: it forgot its declarations.
            #expect(try await check(authenticate, age: 0) == 200)
            #expect(try await device.report(.idle) != nil)
            #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
            for (message, age) in messages { #expect(try await check(message, age: age) == 403) }
        }
    }

    /// A7: where a signature is all that vouches for a message, one that says that it is old is not taken again.
    @Test(arguments: [-1_000.0, -86_400, 1_000])
    func aMessageThatWasSignedLongAgoIsRefused(seconds: TimeInterval) async throws {
        try await withDevice { (server, _, device) async throws in
            func report(_ version: String) -> Data {
                let status = StatusReport(
                    items: .object(["device": .object(["operating-system": .object(["version": .string(version)])])]),
                    fullReport: true)
                return CheckInMessage.declarativeManagement(
                    DeclarativeManagementRequest(
                        identifier: device.identifier, endpoint: .status, data: status.encoded())
                ).encoded()
            }
            let (old, new) = (report("1"), report("2"))
            let now = Date()
            let recent = try device.sign(new, at: now - 600)
            #expect(try await device.send("/mdm/checkin", new, signature: recent).status == 200)
            let replayed = try device.sign(old, at: now + seconds)
            #expect(try await device.send("/mdm/checkin", old, signature: replayed).status == 400)
            #expect(server.log.say("device refused", "sent again, or the device's clock is wrong"))
            let page = try #require(
                await server.management.status(of: device.identifier.key, PageRequest()).value)
            #expect(page.items.map(\.value) == [Data(#""2""#.utf8)])
            // A connection on which the device proves its key is fresh, whatever its clock says.
            try await server.client(identity: device.identity).with { (client) async throws in
                let answer = try await client.send(
                    "PUT", server.baseURL + "/mdm/checkin", headers: ["Mdm-Signature": replayed], body: old)
                #expect(answer.status == 200)
            }
        }
    }

    private func withDevice(
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }
}
