import AdminMessages
import AsyncHTTPClient
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import SCEP
import TestLog
import Testing

/// A24, D13: an identity whose time is over fetches its renewal and nothing else, over the real routes.
@Suite struct RenewalTests {
    @Test func anExpiredIdentityFetchesItsRenewalAndNothingElse() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let lifetimes = server.management.lifetimes
                    clock.advance(by: lifetimes.enrollment + 60)
                    let refused = try await device.ask(.tokens)
                    #expect(refused.status == 400)
                    #expect(try DeviceErrorDocument(parsing: refused.body).code == DeviceErrorDocument.expiredIdentity)
                    #expect(server.log.say("device refused", "the certificate has expired", device.identifier.id))
                    try await server.client(identity: device.identity).with { (client) async throws in
                        #expect(try await client.send("GET", server.baseURL + "/mdm/wake").status == 400)

                        let command = try #require(await device.report(.idle))
                        #expect(command.requestType == "InstallProfile")
                        let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
                        let code = try #require(profile.scep?.challenge)
                        let identity = try await PlayedDevice.identity(
                            code: code, server, device.client, key: DeviceKeys.second())
                        let renewed = PlayedDevice(
                            server: server, client: device.client, udid: device.identifier.id, identity: identity)
                        #expect(try await renewed.authenticate().status == 200)
                        #expect(try await renewed.updateToken().status == 200)
                        #expect(try await renewed.ask(.tokens).status == 200)
                        let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                        #expect(try await device.send("/mdm/command", body).status == 400)
                        #expect(!server.log.all.contains { $0.contains(code) })
                    }
                }
            }
        }
    }

    /// Red before: 400, "not the one pinned", and the device was lost once the certificate before had ended.
    @Test func aRenewedDeviceGoesOnWithATokenUpdate() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let other = UUID().uuidString
                    try await PlayedDevice.with(server, admin, udid: other, key: DeviceKeys.second()) { _ in }
                    clock.advance(by: server.management.lifetimes.enrollment + 60)
                    let command = try #require(await device.report(.idle))
                    let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
                    let right = try #require(profile.scep?.challenge)
                    let identity = try await PlayedDevice.identity(
                        code: right, server, device.client, key: DeviceKeys.second())
                    func played(_ udid: String) -> PlayedDevice {
                        PlayedDevice(server: server, client: device.client, udid: udid, identity: identity)
                    }
                    #expect(try await played(other).updateToken().status == 400, "it is of another device's renewal")
                    let renewed = played(device.identifier.id)
                    #expect(try await renewed.updateToken().status == 200)
                    _ = try await renewed.report(.acknowledged, command)
                    #expect(try await renewed.ask(.tokens).status == 200)
                    let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                    #expect(try await device.send("/mdm/command", body).status == 400, "the one before counts no more")
                    let filter = AuditFilter(action: .renewDevice)
                    let entries = try await server.management.auditEntries(filter, PageRequest()).items
                    #expect(entries.map(\.subject) == [device.identifier.key])
                }
            }
        }
    }

    /// How a renewed device that does not begin with a TokenUpdate goes on.
    enum Beginning: CaseIterable, Sendable {
        /// Over a connection with the new certificate alone; red while it was of an unknown device, again and again.
        case download
        /// A message of declarative management.
        case tokens
        /// With a certificate for the key that it had before.
        case keptKey
    }

    @Test(arguments: Beginning.allCases)
    func aRenewedDeviceGoesOnWithAnythingElse(_ beginning: Beginning) async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    clock.advance(by: server.management.lifetimes.enrollment + 60)
                    let command = try #require(await device.report(.idle))
                    let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
                    let right = try #require(profile.scep?.challenge)
                    let key = try beginning == .keptKey ? device.identity.key : DeviceKeys.second()
                    let identity = try await PlayedDevice.identity(code: right, server, device.client, key: key)
                    let renewed = PlayedDevice(
                        server: server, client: device.client, udid: device.identifier.id, identity: identity)
                    switch beginning {
                    case .download:
                        let digest = String(repeating: "0", count: 64)
                        let answer = try await renewed.download(server.baseURL + "/mdm/assets/" + digest)
                        #expect(answer.status == 404, "known, but there is no such asset")
                    case .tokens: #expect(try await renewed.ask(.tokens).status == 200)
                    case .keptKey: _ = try await renewed.report(.acknowledged, command)
                    }
                    #expect(try await renewed.updateToken().status == 200)
                    let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                    #expect(try await device.send("/mdm/command", body).status == 400, "the one before counts no more")
                    let shown = try #require(await server.management.device(device.identifier.key))
                    #expect(server.management.standing(of: shown) != .lapsed)
                    let filter = AuditFilter(action: .renewDevice)
                    let entries = try await server.management.auditEntries(filter, PageRequest()).items
                    #expect(entries.map(\.subject) == [device.identifier.key])
                }
            }
        }
    }

    /// After the grace nothing is served, and still nobody is told to unenrol.
    @Test func afterTheGraceAnIdentityIsWorthNothingAndTheDeviceStaysEnrolled() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let lifetimes = server.management.lifetimes
                    clock.advance(by: lifetimes.enrollment + lifetimes.grace + 60)
                    let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                    let refused = try await device.send("/mdm/command", body)
                    #expect(refused.status == 400)
                    #expect(try DeviceErrorDocument(parsing: refused.body).code == DeviceErrorDocument.expiredIdentity)
                    let shown = try #require(await server.management.device(device.identifier.key))
                    #expect(shown.state == .enrolled)
                    #expect(server.management.standing(of: shown) == .lapsed)
                }
            }
        }
    }

    /// Where a chip must vouch for the key there is no way around it: by SCEP a code is good for nothing, and unused.
    @Test func whereIdentitiesAreAttestedSCEPIssuesNone() async throws {
        try await TestServer.run(means: .attestedACME) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                let profile = try EnrollmentProfile(
                    parsing: await admin.client.send("GET", code.enrollmentURL).body)
                guard case .acme(let acme) = profile.identity else {
                    Issue.record("the profile says how")
                    return
                }
                #expect(acme.attest && acme.hardwareBound && acme.clientIdentifier == code.code)
                #expect(acme.directoryURL == "\(server.baseURL)/acme/devices/directory")
                let reply = try await PlayedDevice.certificate(
                    code: code.code, server, admin.client, key: DeviceKeys.first())
                #expect(reply == .failed(.badRequest))
                #expect(server.log.say("enrollment refused", "by ACME here"))
                #expect(try await admin.client.send("GET", code.enrollmentURL).status == 200, "it is still good")
            }
        }
    }

    @Test func administratorsSeeHowLongAnIdentityIsGood() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let shown: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
                    let identity = try #require(shown.identity)
                    let lifetime = server.management.lifetimes.enrollment
                    #expect(abs(identity.expires.timeIntervalSince(clock.now) - lifetime) < 120)
                    let renewal = try #require(identity.moment).timeIntervalSince(clock.now)
                    #expect(identity.state == .good && renewal > lifetime / 2 && renewal < lifetime * 2 / 3)
                }
            }
        }
    }
}
