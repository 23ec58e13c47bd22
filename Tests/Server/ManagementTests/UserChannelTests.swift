import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import StoreSQLite
import Testing

/// What an enrollment profile announces of a device's users, and who of them is managed.
struct UserChannelTests {
    /// Red before: no profile announced anything, and an update of a profile cannot add the channels of users.
    @Test func aProfileAnnouncesWhatTheServerDoes() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "admin")
        let code = try #require(
            await management.createEnrollmentCode(EnrollmentCodeRequest(group: "all"), author: "admin").value)
        let profile = try #require(await management.enrollmentProfile(code: code.text).value)
        let announced = ["com.apple.mdm.per-user-connections", "com.apple.mdm.bootstraptoken"]
        #expect(profile.mdm.serverCapabilities == announced)
        #expect(try EnrollmentProfile(parsing: profile.encoded()).mdm.serverCapabilities == announced)
    }

    /// A device refuses a renewed profile whose announcement of users' channels is not that of the one it has.
    @Test(arguments: [true, false])
    func aRenewalAnnouncesUsersAsTheEnrollmentDid(hasUserChannels: Bool) async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        if !hasUserChannels {
            try await fixture.betweenServers { db in
                try db.execute(sql: "UPDATE enrollment SET user_channels = 0")
            }
        }
        fixture.advance(86_400 * 2 / 3)
        #expect(try await fixture.management.orderRenewals().ordered == 1)
        let command = try #require(await fixture.command(.idle))
        let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
        #expect(profile.mdm.serverCapabilities.contains("com.apple.mdm.per-user-connections") == hasUserChannels)
        #expect(profile.mdm.serverCapabilities.contains("com.apple.mdm.bootstraptoken"))
    }

    /// Red where the channel of a user who did not log in for a week is shown as silent: the overview counts devices.
    @Test func aUsersChannelIsNotSilentByItself() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        let user = EnrollmentIdentifier(kind: .device, id: "D1", userID: "U")
        let update = TokenUpdate(identifier: user, topic: "t", token: Data([2]), pushMagic: "magic")
        #expect(try await management.checkIn(.tokenUpdate(update), signer: Fixture.signer) == .done)
        try await fixture.store.recordSeen(["D1": Fixture.start, user.key: Fixture.start])
        fixture.advance(9 * 86_400)
        let device = try #require(await management.device("D1"))
        let channel = try #require(await management.device(user.key))
        #expect(management.isSilent(device) && !management.isSilent(channel))
        let overview = try await management.overview()
        #expect(overview.silent == 1)
    }

    /// Red before: 503, as if the device were unknown, and so again at each log-in.
    @Test func aUserOfTheDirectoryIsNotManaged() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let user = EnrollmentIdentifier(kind: .device, id: "D1", userID: "U")
        #expect(try await fixture.management.checkIn(.userAuthenticate(user), signer: Fixture.signer) == .unmanagedUser)
        let stranger = EnrollmentIdentifier(kind: .device, id: "D9", userID: "U")
        guard
            case .refused(.unknownDevice) = try await fixture.management.checkIn(
                .userAuthenticate(stranger), signer: Fixture.signer)
        else {
            Issue.record("a device that is not known stays so")
            return
        }
    }
}
