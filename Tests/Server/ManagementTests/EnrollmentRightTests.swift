import DeviceMessages
import Foundation
import Management
import Testing

/// How long rights to enroll last, and that each is good once (S4-PLAT-05).
struct EnrollmentRightTests {
    private static let week: TimeInterval = 7 * 24 * 3_600
    private static let mostSeconds = 30 * 24 * 3_600

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "admin")
        let anna = Person(userName: "anna", details: [.email: "anna@example.org"])
        _ = try await management.putPerson(anna, author: "admin")
    }

    private func invite(_ seconds: Int? = nil) async throws -> Outcome<IssuedInvitation, AdminRefusal> {
        try await fixture.management.invite(
            "anna", account: nil, group: "all", validSeconds: seconds, author: "admin")
    }

    private func signIn(_ invited: IssuedInvitation) async throws -> Outcome<String, LogInRefusal> {
        try await fixture.management.signIn(
            account: invited.invitation.account, password: invited.password, from: nil)
    }

    @Test(arguments: [nil, 60, mostSeconds] as [Int?])
    func anInvitationLastsAWeekOrAsLongAsWasSaid(seconds: Int?) async throws {
        let invited = try #require(try await invite(seconds).value)
        fixture.advance((seconds.map { TimeInterval($0) } ?? Self.week) - 1)
        #expect(try await signIn(invited).value != nil)
        fixture.advance(1)
        #expect(try await signIn(invited).refusal == .wrongNameOrPassword)
    }

    @Test(arguments: [-1, 0, mostSeconds + 1]) func noInvitationLastsForEver(seconds: Int) async throws {
        #expect(try await invite(seconds).refusal?.kind == .invalid)
        #expect(try await fixture.management.invitations(PageRequest()).items.isEmpty)
    }

    @Test func whoSignedInHasAnHour() async throws {
        let invited = try #require(try await invite().value)
        let token = try #require(try await signIn(invited).value)
        fixture.advance(3_599)
        #expect(try await fixture.management.accountProfile(token: token).value != nil)
        fixture.advance(1)
        #expect(try await fixture.management.accountProfile(token: token).refusal == .expired)
        #expect(try await redeem(token) == .expired)
    }

    @Test func aDeviceThatIsExpectedHasHalfAnHourEachTimeItAsks() async throws {
        let management = try fixture.management
        let device = ExpectedDevice(
            serialNumber: "SN-1", group: "all", chip: nil, author: "admin", created: Fixture.start)
        #expect(try await management.expect([device]) == nil)
        let first = try await expectedRight("SN-1")
        fixture.advance(1_799)
        #expect(try await management.examine(code: first).value != nil)
        let second = try await expectedRight("SN-1")
        fixture.advance(1)
        #expect(try await management.examine(code: first).refusal == .expired)
        #expect(try await redeem(first) == .expired)
        #expect(try await redeem(second) == nil)
    }

    /// Its password opens nothing any more, nor does another sign-in that was there before.
    @Test func anInvitationIsSpentByTheFirstDevice() async throws {
        let invited = try #require(try await invite().value)
        let first = try #require(try await signIn(invited).value)
        let second = try #require(try await signIn(invited).value)
        #expect(try await redeem(first) == .unknown, "another sign-in was in its place")
        #expect(try await redeem(second) == nil)
        #expect(try await signIn(invited).refusal == .wrongNameOrPassword)
        #expect(try await fixture.management.invitations(PageRequest()).items.isEmpty)
        // The very same request again is its answer that was lost; any other is another device.
        #expect(try await redeem(second) == nil)
        #expect(try await redeem(second, key: 2) == .wrongKey)
    }

    private func redeem(_ right: String, key: UInt8 = 1) async throws -> CodeRefusal? {
        try await fixture.management.redeem(
            code: right, transactionID: "t", publicKeyDigest: Data(repeating: key, count: 32)
        ).refusal
    }

    private func expectedRight(_ serialNumber: String) async throws -> String {
        let info = MachineInfo(product: "Debian", version: "1", serialNumber: serialNumber)
        let profile = try #require(try await fixture.management.expectedProfile(for: info).value)
        guard case .scep(let payload) = profile.identity else {
            Issue.record("a right by other means than the server's")
            return ""
        }
        return try #require(payload.challenge)
    }
}
