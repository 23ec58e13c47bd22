import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// The person of a device that came by an account stays signed in, or signs in again; the device stays (S4-PLAT-05, D13).
struct AccountAccessTests {
    private static let device = EnrollmentIdentifier(kind: .user, id: "E1")

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Enrolls Anna's device by her account; answers what it shows from then on.
    private func enrol(_ device: EnrollmentIdentifier = device, signer: Data = Fixture.signer) async throws -> String {
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "admin")
        for person in ["anna", "ben"] {
            let known = Person(userName: person, details: [.email: "\(person)@example.org"])
            _ = try await management.putPerson(known, author: "admin")
        }
        let token = try await signIn()
        _ = try #require(await management.redeem(code: token, transactionID: "t", publicKeyDigest: signer).value)
        let code = try #require(await management.examine(code: token).value)
        let certificate = IssuedCertificate(
            serial: "07", fingerprint: signer, certificateDER: Data(), codeID: code.id, publicKeyDigest: signer,
            issued: Fixture.start, notAfter: Fixture.start + 86_400)
        #expect(try await management.recordIssued(certificate) == nil)
        let message = Authenticate(identifier: device, topic: "t", deviceName: "n", modelName: "m", model: "m")
        #expect(try await management.checkIn(.authenticate(message), signer: signer, showing: token) == .done)
        #expect(try await update(token) == .done)
        return token
    }

    private func signIn(_ person: String = "anna") async throws -> String {
        let management = try fixture.management
        let invited = try #require(
            await management.invite(person, account: nil, group: "all", validSeconds: nil, author: "admin").value)
        let account = invited.invitation.account
        return try #require(
            await management.signIn(account: account, password: invited.password, from: nil).value)
    }

    private func update(_ token: String?) async throws -> CheckInAnswer {
        let message = TokenUpdate(identifier: Self.device, topic: "t", token: Data([1]), pushMagic: "m")
        return try await fixture.management.checkIn(.tokenUpdate(message), signer: Fixture.signer, showing: token)
    }

    /// What the server says to a device that shows this.
    private func refusal(_ token: String?) async throws -> DeviceRefusal? {
        try await fixture.management.judge(Self.device, signer: Fixture.signer, showing: token).refusal
    }

    @Test func aDeviceShowsTheSignInOfItsPersonWithEachRequest() async throws {
        let token = try await enrol()
        #expect(try await refusal(token) == nil)
        for other in [nil, "", "guessed", String(repeating: "A", count: 100_000)] {
            #expect(try await refusal(other) == .signInNeeded)
        }
        let idle = CommandReport(identifier: Self.device, status: .idle)
        let management = try fixture.management
        #expect(try await management.exchange(idle, signer: Fixture.signer) == .refused(.signInNeeded))
        #expect(try await management.judge(signer: Fixture.signer).refusal == .signInNeeded)
        #expect(try await management.judge(signer: Fixture.signer, showing: token).value != nil)
        // Whose certificate it is not hears nothing of signing in.
        let stranger = try await management.judge(Self.device, signer: Data(repeating: 1, count: 32))
        guard case .mismatch = stranger.refusal else {
            Issue.record("a stranger was told to sign in")
            return
        }
        // A device that came otherwise has nobody who could.
        try await fixture.enrol("D1", signer: Data(repeating: 2, count: 32))
        #expect(try await management.judge(signer: Data(repeating: 2, count: 32)).value != nil)
        let refused = try await management.endAccess(of: "D1", author: "admin")
        #expect(refused?.reason.contains("came by a person's account") == true)
        #expect(try await management.endAccess(of: "E9", author: "admin") == .unknownDevice)
    }

    /// What an administrator ends is had back by signing in again, by the same account alone, and everything is as before.
    @Test func whoIsSignedOutSignsInAgainAndLosesNothing() async throws {
        let token = try await enrol()
        let management = try fixture.management
        #expect(try await management.endAccess(of: "E1", author: "admin") == nil)
        #expect(try await refusal(token) == .signInNeeded)
        #expect(try await update(token) == .refused(.signInNeeded))
        #expect(try await management.device("E1").map(management.needsSignIn) == true)
        let stranger = try await signIn("ben")
        #expect(try await refusal(stranger) == .signInNeeded)
        let again = try await signIn()
        #expect(try await update(again) == .done)
        #expect(try await refusal(again) == nil)
        // The one before is worth nothing, and the new one is no right to enroll another device.
        #expect(try await refusal(token) == .signInNeeded)
        #expect(try await management.accountProfile(token: again).refusal == .used)
        #expect(try await management.device("E1")?.state == .enrolled)
        #expect(try await management.device("E1").map(management.needsSignIn) == false)
        try fixture.restart()
        #expect(try await refusal(again) == nil)
        let actions = try await fixture.management.auditEntries(AuditFilter(), PageRequest()).items.map(\.action)
        for action in ["device.sign-out", "device.sign-in"] { #expect(actions.contains(action)) }
    }

    @Test func aSignInLastsAsLongAsTheOperatorSays() async throws {
        let fixture = try Fixture(signInLifetime: 3_600)
        let tests = AccountAccessTests(fixture)
        let token = try await tests.enrol()
        fixture.advance(3_599)
        #expect(try await tests.refusal(token) == nil)
        fixture.advance(1)
        #expect(try await tests.refusal(token) == .signInNeeded)
        #expect(try await tests.refusal(tests.signIn()) == nil)
    }

    /// Whose sign-in has ended may leave, and keep its identity from ending.
    @Test func whoIsSignedOutMayStillLeaveAndRenew() async throws {
        _ = try await enrol()
        let management = try fixture.management
        _ = try await management.endAccess(of: "E1", author: "admin")
        fixture.advance(86_401)
        let idle = CommandReport(identifier: Self.device, status: .idle)
        guard case .command(let document) = try await management.exchangeRenewal(idle, signer: Fixture.signer) else {
            Issue.record("the device cannot renew its identity")
            return
        }
        #expect(try Command(parsing: document).requestType == "InstallProfile")
        let message = CheckInMessage.checkOut(CheckOut(identifier: Self.device, topic: "t"))
        #expect(try await management.checkIn(message, signer: Fixture.signer) == .done)
    }

    private init(_ fixture: Fixture) { self.fixture = fixture }
}
