import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Issue 32: a device that renewed its identity and goes on without a second Authenticate.
struct FirstUseTests {
    private static let next = Data(repeating: 8, count: 32)

    private static func right(renewing device: String?, _ state: EnrollmentCode.State = .redeemed) -> EnrollmentCode {
        EnrollmentCode(
            id: "r", group: "", ownership: .organization, supervised: false, allowLegacyCryptography: false,
            author: "martlet-server", created: Fixture.start, expires: Fixture.start + 3_600, state: state,
            renews: device)
    }

    private static let facts = FirstUseFacts(
        state: .enrolled, pinned: Fixture.signer, pinnedSerial: "07",
        shown: FirstUseFacts.Shown(serial: "08", notAfter: Fixture.start + 86_400, right: right(renewing: "D1")))

    // MARK: The rule

    @Test func aCertificateOfItsOwnRenewalIsTaken() throws {
        let use = try #require(FirstUse.decide(Self.next, as: "D1", knowing: Self.facts).value)
        #expect(use.device == "D1" && use.fingerprint == Self.next && use.right.id == "r")
        #expect(use.serial == "08" && use.replaced == "07" && use.notAfter == Fixture.start + 86_400)
    }

    /// Every other certificate of ours is refused, whatever enrollment its holder says.
    @Test func anyOtherIsNot() {
        func refusal(_ change: (inout FirstUseFacts) -> Void) -> FirstUseRefusal? {
            var facts = Self.facts
            change(&facts)
            return FirstUse.decide(Self.next, as: "D1", knowing: facts).refusal
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.state = .pending } == nil)
        #expect(refusal { $0.shown?.chipOf = "D1" } == nil)
        #expect(FirstUse.decide(Self.next, as: "D1", knowing: nil).refusal == .unknownDevice)
        #expect(refusal { $0.state = .withdrawn } == .ended)
        #expect(refusal { $0.state = .checkedOut } == .ended)
        #expect(refusal { $0.pinned = Self.next } == .present)
        #expect(refusal { $0.shown = nil } == .notOnRecord)
        #expect(refusal { $0.shown?.pinnedTo = "D1" } == .pinnedBefore)
        #expect(refusal { $0.shown?.pinnedTo = "D2" } == .pinnedBefore)
        #expect(refusal { $0.shown?.right = nil } == .noRenewal)
        #expect(refusal { $0.shown?.right = Self.right(renewing: nil) } == .noRenewal)
        #expect(refusal { $0.shown?.right = Self.right(renewing: "D2") } == .noRenewal)
        for state in [EnrollmentCode.State.unused, .spent, .revoked] {
            #expect(refusal { $0.shown?.right = Self.right(renewing: "D1", state) } == .rightEnded)
        }
        #expect(refusal { $0.shown?.chipOf = "D2" } == .anotherChip)
    }

    // MARK: The operation

    /// Has the server order D1's renewal, and issues its certificate; the device has used it nowhere yet.
    private func renewed() async throws -> Fixture {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        fixture.advance(86_400 * 2 / 3)
        #expect(try await management.orderRenewals().ordered == 1)
        let command = try #require(await fixture.command(.idle))
        let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
        let right = try #require(profile.scep?.challenge)
        let redeemed = try #require(
            await management.redeem(code: right, transactionID: "t", publicKeyDigest: Self.next).value)
        let moment = Fixture.start + 86_400 * 2 / 3
        let certificate = IssuedCertificate(
            serial: "08", fingerprint: Self.next, certificateDER: Data(), codeID: redeemed.code.id,
            publicKeyDigest: Self.next, issued: moment, notAfter: moment + 86_400)
        #expect(try await management.recordIssued(certificate) == nil)
        return fixture
    }

    private func update(
        _ fixture: Fixture, _ identifier: EnrollmentIdentifier = Fixture.identifier("D1"), signer: Data
    ) async throws -> CheckInAnswer {
        let message = TokenUpdate(identifier: identifier, topic: "t", token: Data([2]), pushMagic: "new")
        return try await fixture.management.checkIn(.tokenUpdate(message), signer: signer)
    }

    /// Red before: 400, "not the one pinned", forever, and once the certificate before had ended the device was lost.
    @Test func aTokenUpdateIsEnough() async throws {
        let fixture = try await renewed()
        let management = try fixture.management
        #expect(try await update(fixture, signer: Fixture.signer) == .done, "the one before serves until then")
        #expect(try await update(fixture, signer: Self.next) == .done)
        guard case .refused(.mismatch) = try await update(fixture, signer: Fixture.signer) else {
            Issue.record("the one before is refused from then on")
            return
        }
        #expect(try await fixture.context(signer: Self.next).pushMagic == "new")
        let device = try #require(await management.device("D1"))
        #expect(device.certificateSerial == "08" && device.groups == ["all"] && device.state == .enrolled)
        guard case .good = management.standing(of: device) else {
            Issue.record("the new identity will be renewed in its turn")
            return
        }
        let entries = try await management.auditEntries(AuditFilter(action: .renewDevice), PageRequest()).items
        #expect(entries.map(\.subject) == ["D1"] && entries.first?.details.contains("\"serial\":\"08\"") == true)
        // An Authenticate that comes all the same changes nothing.
        let message = Authenticate(identifier: Fixture.identifier("D1"), topic: "t")
        #expect(try await management.checkIn(.authenticate(message), signer: Self.next) == .done)
        #expect(try await update(fixture, signer: Self.next) == .done)
    }

    /// Whatever comes first with it, also by the channel of a user of the device.
    @Test func aUsersChannelGoesOverWithItsDevice() async throws {
        let fixture = try await renewed()
        let user = EnrollmentIdentifier(kind: .device, id: "D1", userID: "U")
        #expect(try await update(fixture, user, signer: Fixture.signer) == .done)
        let report = CommandReport(identifier: user, status: .idle)
        if case .refused = try await fixture.management.exchange(report, signer: Self.next) {
            Issue.record("the user's channel speaks with the device's certificate")
        }
        #expect(try await fixture.management.judge(user, signer: Fixture.signer).value == nil)
    }

    @Test func anotherDeviceDoesNotGoOverToIt() async throws {
        let fixture = try await renewed()
        try await fixture.enrol("D2", signer: Data(repeating: 5, count: 32))
        guard case .refused(.mismatch) = try await update(fixture, Fixture.identifier("D2"), signer: Self.next) else {
            Issue.record("the certificate is of D1's renewal")
            return
        }
        #expect(try await update(fixture, signer: Self.next) == .done)
    }

    /// Two requests at once are both answered.
    @Test func ofManyAtOnceNoneIsRefused() async throws {
        let fixture = try await renewed()
        let management = try fixture.management
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await management.judge(Fixture.identifier("D1"), signer: Self.next).value == nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused == 0)
        #expect(try await management.auditEntries(AuditFilter(action: .renewDevice), PageRequest()).items.count == 1)
    }
}
