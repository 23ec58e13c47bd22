import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

struct DeviceRequestTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
    }

    private func refusal(_ answer: CommandAnswer) -> DeviceRefusal? {
        if case .refused(let refusal) = answer { refusal } else { nil }
    }

    /// D13: a server that does not know a device must not make it unenrol.
    @Test func doesNotKnowAnUnknownDevice() async throws {
        guard case .unknownDevice = refusal(try await fixture.report(.idle, device: "D9")) else {
            Issue.record("not answered as unknown")
            return
        }
    }

    @Test func refusesAnotherCertificate() async throws {
        let other = Data(repeating: 9, count: 32)
        try await fixture.enrol("D2", signer: other)
        guard case .mismatch = refusal(try await fixture.report(.idle, signer: other)) else {
            Issue.record("not answered as mismatch")
            return
        }
    }

    @Test func turnsAwayOnlyWhatAnAdministratorWithdrew() async throws {
        _ = try await fixture.report(.idle)
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        #expect(refusal(try await fixture.report(.idle)) == .withdrawn)
        #expect(try await fixture.ask(.tokens) == .refused(.withdrawn))
        #expect(try await fixture.management.judge(signer: Fixture.signer).refusal == .withdrawn)
        #expect(try await fixture.management.withdraw("D9", author: "admin") == .unknownDevice)
    }

    @Test func checkOutMayComeTwice() async throws {
        let message = CheckInMessage.checkOut(CheckOut(identifier: Fixture.identifier("D1"), topic: "t"))
        #expect(try await fixture.management.checkIn(message, signer: Fixture.signer) == .done)
        #expect(try await fixture.management.checkIn(message, signer: Fixture.signer) == .done)
        guard case .unknownDevice = refusal(try await fixture.report(.idle)) else {
            Issue.record("a device that left is not told that it is not recognised")
            return
        }
    }

    @Test func knowsADeviceByItsCertificateAlone() async throws {
        #expect(try await fixture.management.judge(signer: Fixture.signer).value?.key == "D1")
        #expect(try await fixture.management.judge(signer: Data(repeating: 1, count: 32)).value == nil)
    }

    @Test func deliversQueuedCommandsBeforeDeclarations() async throws {
        let management = try fixture.management
        let queued = try #require(
            await management.enqueue(
                .dictionary(["RequestType": .string("ProfileList")]), for: "D1", author: "admin"
            ).value)
        let first = try #require(await fixture.command(.idle))
        #expect(first.uuid == queued.uuid)
        let second = try #require(await fixture.command(.acknowledged, first.uuid))
        #expect(second.requestType == "DeclarativeManagement")
        #expect(try await fixture.report(.acknowledged, second.uuid) == .nothing)
        let kept = try #require(await management.command(queued.uuid, of: "D1"))
        #expect(kept.state == .acknowledged)
        #expect(try CommandReport(parsing: try #require(kept.result)).status == .acknowledged)
    }

    @Test func keepsOfALargeResultOnlyThatItCame() async throws {
        let management = try fixture.management
        let queued = try #require(
            await management.enqueue(
                .dictionary(["RequestType": .string("ProfileList")]), for: "D1", author: "admin"
            ).value)
        let contents = PropertyListValue.dictionary(["Large": .data(Data(count: CommandLimits.resultBytes))])
        _ = try await management.exchange(
            CommandReport(
                identifier: Fixture.identifier("D1"), status: .acknowledged, commandUUID: queued.uuid,
                contents: contents),
            signer: Fixture.signer)
        let kept = try #require(await management.command(queued.uuid, of: "D1"))
        #expect(kept.state == .acknowledged)
        #expect(kept.result == nil)
        #expect(kept.resultTooLarge)
    }

    /// An administrator who looks right after a report sees that the device was there.
    @Test func knowsAtOnceWhenADeviceWasSeen() async throws {
        let management = try fixture.management
        _ = try await fixture.report(.idle)
        #expect(try await management.device("D1")?.lastSeen == Fixture.start)
        try await management.maintain()
        fixture.advance(30)
        _ = try await fixture.report(.idle)
        #expect(try await management.device("D1")?.lastSeen == Fixture.start.addingTimeInterval(30))
        let listed = try await management.devices(DeviceFilter(), PageRequest()).items
        #expect(listed.map(\.lastSeen) == [Fixture.start.addingTimeInterval(30)])
    }

    @Test func writesWhenADeviceWasSeenAtMostEveryFiveMinutes() async throws {
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        fixture.advance(200)
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start)
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        fixture.advance(301)
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start.addingTimeInterval(501))
    }

    /// A device that listens has a new moment with each heartbeat: written as often as requests are, these would be the
    /// most frequent changes of all.
    @Test func writesThatADeviceListensAtMostEveryHour() async throws {
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        fixture.advance(1_800)
        try fixture.management.noteListening("D1")
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start.addingTimeInterval(1_800))
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start)
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        fixture.advance(3_601)
        try fixture.management.noteListening("D1")
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start.addingTimeInterval(5_401))
    }

    /// Red where the store alone is asked: it does not know yet who was seen a moment ago.
    @Test func whoWasSeenAMomentAgoIsNotAmongThoseThatWereNot() async throws {
        let management = try fixture.management
        func unseen() async throws -> [String] {
            try await management.devices(DeviceFilter(), unseenFor: 3_600, PageRequest()).items.map(\.id)
        }
        _ = try await fixture.report(.idle)
        try await management.maintain()
        fixture.advance(7_200)
        #expect(try await unseen() == ["D1"])
        _ = try await fixture.report(.idle)
        #expect(try await unseen() == [])
    }

    @Test func aStopWritesDownWhenADeviceWasSeen() async throws {
        _ = try await fixture.report(.idle)
        try await fixture.management.maintain()
        fixture.advance(200)
        _ = try await fixture.report(.idle)
        try await fixture.management.flush()
        try fixture.restart()
        #expect(try await fixture.management.device("D1")?.lastSeen == Fixture.start.addingTimeInterval(200))
    }

    @Test func keepsWhatADeviceReports() async throws {
        let report = """
            {"StatusItems":{"app":{"managed":{"list":[{"identifier":"com.example.app","state":"managed",
            "config-state":{"app-config-state":{"state":"invalid"}},
            "reasons":[{"code":"Error.Decode","details":{"KeyPath":"a.b"}}]}]}},
            "management":{"declarations":{"activations":[],"assets":[],"management":[],"configurations":[
            {"identifier":"c","server-token":"t","active":true,"valid":"valid"}]}}},"Errors":[]}
            """
        #expect(try await fixture.ask(.status, data: Data(report.utf8)) == .done)
        let app = try #require(await fixture.management.reportedApps(of: "D1").first)
        #expect(app.configState?.app == "invalid")
        #expect(app.reasons.first?.details?["KeyPath"]?.string == "a.b")
        #expect(try await fixture.management.reportedDeclarations(of: "D1")?.configurations.first?.identifier == "c")
        #expect(
            try await fixture.management.status(of: "D1", PageRequest()).value?.items.map(\.name) == [
                "app.managed.list", "management.declarations",
            ])
        #expect(try await fixture.management.status(of: "D9", PageRequest()).refusal == .unknownDevice)
    }

    @Test func refusesAReportItCannotReadAndKeepsWhatItHas() async throws {
        _ = try await fixture.ask(.status, data: Data(#"{"StatusItems":{"a":1},"Errors":[]}"#.utf8))
        guard case .refused(.mismatch(let log)) = try await fixture.ask(.status, data: Data("secret{".utf8)) else {
            Issue.record("not refused")
            return
        }
        #expect(!log.contains("secret"))
        #expect(try await fixture.management.status(of: "D1", PageRequest()).value?.items.count == 1)
    }
}
