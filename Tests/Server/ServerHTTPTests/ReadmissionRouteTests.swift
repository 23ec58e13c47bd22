import AdminMessages
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import StoreSQLite
import Testing

/// C5, over the real routes: a device whose identity was renewed after a backup that has been put back since.
@Suite struct ReadmissionRouteTests {
    /// Red before: it got 400, "not the one pinned", forever.
    @Test func aDeviceThatRenewedInTheLostTimeIsLetInOnce() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            let now = clock.now
            _ = try await server.store.beginEra(Era(id: "e1", copied: now - 3_600, began: now + 600))
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let key = try DeviceKeys.second()
                    func showing(_ name: String, issuedAfter seconds: TimeInterval) throws -> PlayedDevice {
                        let certificate = try server.authority.issueDevice(
                            publicKeyDER: key.publicKeyInfo, commonName: name,
                            notBefore: now + seconds - Authority.clockTolerance, notAfter: now + 86_400)
                        return PlayedDevice(
                            server: server, client: device.client, udid: device.identifier.id,
                            identity: PlayedDevice.Identity(certificate: certificate, key: key))
                    }
                    let name = try #require(Authority.commonName(of: device.identity.certificate))
                    #expect(try await showing("device of another", issuedAfter: 60).ask(.tokens).status == 400)
                    #expect(try await showing(name, issuedAfter: -60).ask(.tokens).status == 400, "an older one")
                    #expect(try await device.ask(.tokens).status == 200, "nothing has changed for the device")

                    let renewed = try showing(name, issuedAfter: 60)
                    #expect(try await renewed.ask(.tokens).status == 200)
                    #expect(try await device.ask(.tokens).status == 400, "the one before counts no more")
                    #expect(try await showing(name, issuedAfter: 120).ask(.tokens).status == 400, "once in an era")
                    #expect(try await renewed.ask(.tokens).status == 200)
                    let filter = AuditFilter(action: .readmitDevice)
                    let entries = try await server.management.auditEntries(filter, PageRequest()).items
                    #expect(entries.map(\.subject) == [device.identifier.key])
                }
            }
        }
    }

    /// Red before: each certificate had a name of its own, by which nobody could tell whose it is.
    @Test func aRenewedIdentityKeepsItsName() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let name = try #require(Authority.commonName(of: device.identity.certificate))
                    try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
                        #expect(Authority.commonName(of: other.identity.certificate) != name)
                    }
                    clock.advance(by: server.management.lifetimes.enrollment + 60)
                    let command = try #require(await device.report(.idle))
                    let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
                    let code = try #require(profile.scep?.challenge)
                    let renewed = try await PlayedDevice.identity(
                        code: code, server, device.client, key: DeviceKeys.second())
                    #expect(Authority.commonName(of: renewed.certificate) == name)
                }
            }
        }
    }
}
