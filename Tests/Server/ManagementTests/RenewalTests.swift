import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A24: the server has devices renew the identity by which they speak with it.
struct RenewalTests {
    private static let life: TimeInterval = 86_400
    private static let next = Data(repeating: 8, count: 32)

    // MARK: The rule

    /// A fleet that enrolled in one hour does not renew in one.
    @Test func devicesThatEnrolledTogetherAreDueApart() {
        let end = Fixture.start + Self.life
        let due = (0..<256).map { first in
            IdentityRenewal.due(
                issued: Fixture.start, notAfter: end, fingerprint: Data([UInt8(first)]) + Data(repeating: 9, count: 31))
        }
        let (earliest, latest) = (due.min() ?? end, due.max() ?? end)
        #expect(earliest >= Fixture.start + Self.life * 7 / 12 && latest <= Fixture.start + Self.life * 2 / 3)
        #expect(latest.timeIntervalSince(earliest) > Self.life / 13)
        #expect(Set(due).count == 256)
    }

    @Test func whatIsToBeDoneFollowsFromTimeAndFromWhatIsWaiting() {
        let start = Fixture.start
        let renewal = IdentityRenewal(notAfter: start + 1_000, due: start + 600)
        func step(_ seconds: TimeInterval, waiting: Bool = false) -> IdentityRenewal.Step {
            renewal.step(now: start + seconds, grace: 50, isWaiting: waiting)
        }
        #expect(step(599) == .wait)
        #expect(step(600) == .order(again: start + 700))
        #expect(step(600, waiting: true) == .wake(again: start + 700))
        // Shortly before and after the end every two seconds; in the middle of a long grace once a day.
        #expect(step(999) == .order(again: start + 1_001))
        #expect(step(1_001) == .order(again: start + 1_003))
        #expect(step(1_050) == .order(again: start + 1_062))
        #expect(step(1_051) == .lapse)
        let long = IdentityRenewal(notAfter: start, due: start).step(
            now: start - 10_000_000, grace: 0, isWaiting: false)
        #expect(long == .wait)
        let patient = IdentityRenewal(notAfter: start + 10_000_000, due: start).step(
            now: start, grace: 0, isWaiting: false)
        #expect(patient == .order(again: start + 86_400))
    }

    @Test func whatAnIdentityIsWorthIsSaidPlainly() {
        let (start, end) = (Fixture.start, Fixture.start + 100)
        func standing(_ seconds: TimeInterval, _ ordered: Date? = nil) -> IdentityStanding {
            IdentityStanding(
                notAfter: end, renewal: IdentityRenewal(notAfter: end, due: start + 60, ordered: ordered),
                now: start + seconds, grace: 10)
        }
        #expect(standing(1) == .good(renewal: start + 60))
        #expect(standing(70, start + 61) == .renewing(since: start + 61))
        #expect(standing(101, start + 61) == .expired(until: end + 10))
        #expect(standing(111) == .lapsed)
    }

    // MARK: The road

    /// A device that has lost its network on the way begins again with another right.
    @Test func aRightToRenewLastsAnHour() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        fixture.advance(Self.life * 2 / 3)
        #expect(try await management.orderRenewals() == RenewalRound(ordered: 1))
        let right = try await challenge(fixture, .idle)
        fixture.advance(3_599)
        #expect(try await management.examine(code: right).value != nil)
        fixture.advance(1)
        #expect(try await management.examine(code: right).refusal == .expired)
        #expect(
            try await management.redeem(code: right, transactionID: "t", publicKeyDigest: Self.next).refusal == .expired
        )
    }

    /// The old identity serves until the new one was used, and is refused from then on; nothing else of the device changes.
    @Test func aDeviceThatIsDueGoesOverToAnotherIdentity() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        fixture.advance(Self.life / 2)
        #expect(try await management.orderRenewals() == RenewalRound())
        fixture.advance(Self.life / 6)
        #expect(try await management.orderRenewals() == RenewalRound(ordered: 1))
        #expect(try await management.orderRenewals() == RenewalRound(), "once")
        let ordered = try #require(await management.device("D1"))
        #expect(management.standing(of: ordered) == .renewing(since: Fixture.start + Self.life * 2 / 3))

        let lost = try await challenge(fixture, .idle)
        let code = try await challenge(fixture, .idle)
        #expect(code != lost)
        #expect(
            try await management.redeem(code: lost, transactionID: "t", publicKeyDigest: Self.next).refusal == .revoked)
        try await certify(Self.next, by: code, management)
        #expect(try await authenticate(fixture, "D1") == .done)
        #expect(try await authenticate(fixture, "D1") == .done, "the answer was lost")
        // The old one still opens the channel: the device may never have heard that it was replaced.
        #expect(try await refusal(fixture.report(.idle)) == nil)
        #expect(try await management.auditEntries(AuditFilter(action: .renewDevice), PageRequest()).items.isEmpty)

        #expect(try await refusal(fixture.report(.idle, signer: Self.next)) == nil)
        guard case .mismatch = try await refusal(fixture.report(.idle)) else {
            Issue.record("the identity before is refused once the new one was used")
            return
        }
        let renewed = try #require(await management.device("D1"))
        #expect(renewed.state == .enrolled && renewed.groups == ["all"] && renewed.enrolled == ordered.enrolled)
        guard case .good(let due) = management.standing(of: renewed) else {
            Issue.record("the new identity will be renewed in its turn")
            return
        }
        #expect(due > Fixture.start + Self.life)
        let entries = try await management.auditEntries(AuditFilter(action: .renewDevice), PageRequest()).items
        #expect(entries.map(\.subject) == ["D1"] && entries.first?.actor == "device:D1")
    }

    /// The right is the device's alone, and lets nobody in.
    @Test func aRightToRenewIsOfNoUseToOthers() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let other = Data(repeating: 5, count: 32)
        try await fixture.enrol("D2", signer: other)
        let management = try fixture.management
        fixture.advance(Self.life * 2 / 3)
        #expect(try await management.orderRenewals().ordered == 2)
        let code = try await challenge(fixture, .idle)
        #expect(try await management.enrollmentProfile(code: code).refusal == .unknown)
        #expect(try await management.enrollmentCodes(PageRequest()).items.allSatisfy { $0.renews == nil })
        try await certify(Self.next, by: code, management)
        for device in ["D2", "D3"] {
            guard case .refused(.mismatch) = try await authenticate(fixture, device) else {
                Issue.record("\(device) is refused")
                return
            }
        }
        #expect(try await management.withdraw("D1", author: "admin") == nil)
        #expect(try await authenticate(fixture, "D1") == .refused(.withdrawn))
    }

    /// D13: who was away beyond the end fetches the renewal and nothing else; after the grace it must enroll anew, and that
    /// is on record.
    @Test func aDeviceThatWasAwayPastTheEndOfItsIdentityMayFetchItsRenewalAndNothingElse() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        let query = PropertyListValue.dictionary(["RequestType": .string("ProfileList")])
        _ = try #require(await management.enqueue(query, for: "D1", author: "admin").value)
        fixture.advance(Self.life + 100)
        let report = CommandReport(identifier: Fixture.identifier("D1"), status: .idle)
        guard case .command(let document) = try await management.exchangeRenewal(report, signer: Fixture.signer) else {
            Issue.record("the renewal is made when the device asks, if nobody made it before")
            return
        }
        let command = try Command(parsing: document)
        #expect(command.requestType == "InstallProfile")
        let answer = CommandReport(
            identifier: Fixture.identifier("D1"), status: .acknowledged, commandUUID: command.uuid)
        #expect(try await management.exchangeRenewal(answer, signer: Fixture.signer) == .nothing)
        #expect(try await management.exchangeRenewal(report, signer: Fixture.signer) == .nothing, "not at once again")
        let device = try #require(await management.device("D1"))
        #expect(management.standing(of: device) == .expired(until: Fixture.start + Self.life + 3_600))
        #expect(device.openCommands == 1, "what an administrator sent waits for the new identity")

        fixture.advance(3_600)
        #expect(try await management.orderRenewals().lapsed == ["D1"])
        #expect(try await management.orderRenewals().lapsed.isEmpty)
        let lapsed = try #require(await management.device("D1"))
        #expect(management.standing(of: lapsed) == .lapsed && lapsed.state == .enrolled)
        let entries = try await management.auditEntries(AuditFilter(action: .lapseDevice), PageRequest()).items
        #expect(entries.map(\.subject) == ["D1"] && entries.first?.actor == "server")
    }

    /// A withdrawn device's users are not served from memory.
    @Test func whatBecomesOfADeviceBecomesOfItsUsers() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let user = EnrollmentIdentifier(kind: .device, id: "D1", userID: "U")
        let update = TokenUpdate(
            identifier: user, topic: "t", token: Data([1]), pushMagic: "m", unlockToken: nil,
            awaitingConfiguration: false)
        #expect(try await fixture.management.checkIn(.tokenUpdate(update), signer: Fixture.signer) == .done)
        #expect(try await fixture.management.judge(user, signer: Fixture.signer).value != nil)
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        #expect(try await fixture.management.judge(user, signer: Fixture.signer).refusal == .withdrawn)
    }

    // MARK: Steps

    private func refusal(_ answer: CommandAnswer) -> DeviceRefusal? {
        if case .refused(let refusal) = answer { refusal } else { nil }
    }

    /// The right in the command to renew that answers a report.
    private func challenge(_ fixture: Fixture, _ status: CommandStatus) async throws -> String {
        let command = try #require(await fixture.command(status))
        #expect(command.requestType == "InstallProfile")
        let profile = try EnrollmentProfile(parsing: try #require(command.request["Payload"]?.data))
        let code = try #require(profile.scep?.challenge)
        let stored = try #require(await fixture.management.command(command.uuid, of: "D1"))
        #expect(stored.document.range(of: Data(code.utf8)) == nil, "the right is kept nowhere")
        return code
    }

    private func certify(_ fingerprint: Data, by code: String, _ management: Management) async throws {
        let redeemed = try #require(
            await management.redeem(code: code, transactionID: "t", publicKeyDigest: fingerprint).value)
        let moment = Fixture.start + Self.life * 2 / 3
        let certificate = IssuedCertificate(
            serial: "08", fingerprint: fingerprint, certificateDER: Data(), codeID: redeemed.code.id,
            publicKeyDigest: fingerprint, issued: moment, notAfter: moment + Self.life)
        #expect(try await management.recordIssued(certificate) == nil)
    }

    private func authenticate(_ fixture: Fixture, _ device: String) async throws -> CheckInAnswer {
        let message = Authenticate(identifier: Fixture.identifier(device), topic: "t", deviceName: "n")
        return try await fixture.management.checkIn(.authenticate(message), signer: Self.next)
    }
}
