import DeviceMessages
import Foundation
import Management
import Testing

/// A fleet, a backup, an hour that goes on, and the backup put back: who has what afterwards, and who is shut out.
///
/// `make soak` plays 1,000 devices; the quick suite fewer.
@Suite(.timeLimit(.minutes(60)))
struct PlayedRestoreTests {
    private static let fleet = ProcessInfo.processInfo.environment["MARTLET_RESTORED_DEVICES"].flatMap(Int.init)
    private static let count = fleet ?? 32

    /// Every device converges on what the restored server gives, and none keeps a value of the lost hour.
    ///
    /// Those that cannot are exactly those that the rules name, and a new code lets each of them in.
    ///
    /// Red without eras, and without what lets in renewed identities: devices kept lost passwords, restarted twice, or
    /// stayed shut out. Red, too, where a certificate that was issued before the backup and used after it is refused.
    @Test(arguments: [UInt64(31)])
    func everyDeviceConvergesOrIsOneThatCannot(seed: UInt64) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-restore-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let kept = KeptStore(path: directory.appending(path: "martlet.sqlite").path)
        let copy = directory.appending(path: "copy.sqlite").path
        let clock = TestClock(stands: true)
        // One address before and after: it is in what devices are given, which another would change for all.
        let socket = try ListeningSocket()

        let lost = try await TestServer.run(clock: clock, handed: socket, kept: kept) {
            (server) async throws -> LostHour in
            var hour = LostHour(Self.count, seed: seed)
            try await hour.begin(on: server, clock)
            try await hour.backUp(server, to: copy, clock)
            try await hour.pass(on: server, clock)
            return hour
        }
        clock.advance(by: 60)
        let era = Era(id: "e1", copied: lost.copied, began: clock.second)
        let consequences = try await kept.restore(copy, era)
        #expect(
            consequences
                == RestoreConsequences(
                    devices: Self.count, mayHaveRenewed: 0, retiredCommands: lost.acting.count,
                    secrets: FleetValues.groups))
        clock.advance(by: 60)
        try await TestServer.run(clock: clock, handed: socket, kept: kept) { (server) async throws in
            var hour = lost
            try await hour.goOn(on: server, clock)
            try await Self.expectEnds(of: hour, on: server)
            try await Self.expectCommands(of: hour, on: server)
            for index in hour.devices.indices where hour.devices[index].refusal != nil {
                try await hour.letIn(index, on: server, clock)
                try await Self.expectConverged(hour.devices[index], hour, on: server, "\(hour.fates[index])")
            }
        }
    }

    private static func expectEnds(of hour: LostHour, on server: TestServer) async throws {
        for (device, fate) in zip(hour.devices, hour.fates) {
            switch fate.end {
            case .gone: continue
            case .refused(let status): #expect(device.refusal == status, "\(fate)")
            case .converges: try await expectConverged(device, hour, on: server, "\(fate)")
            }
        }
        let shutOut = Set(zip(hour.devices, hour.fates).filter { $0.0.refusal != nil }.map { $0.1 })
        #expect(shutOut == [.enrollsSince, .enrollsAnew, .renewsUnderAnotherName])
    }

    /// The device has what the model says, by the very tokens that the server has now.
    private static func expectConverged(
        _ device: KeepingDevice, _ hour: LostHour, on server: TestServer, _ fate: String
    ) async throws {
        #expect(device.refusal == nil, "\(fate)")
        let held = try device.holding()
        let due = hour.values.holding(of: device.id)
        #expect(held == due, "\(fate)")
        let known = try #require(await server.management.device(device.id))
        let manifest = try await server.management.manifest(of: known)
        #expect(device.token == manifest.declarationsToken, "\(fate)")
        let items = try DeclarationItems(parsing: manifest.itemsDocument)
        var tokens: [String: String] = [:]
        for kind in DeclarationKind.allCases {
            for item in items[kind] { tokens[item.identifier] = item.serverToken }
        }
        #expect(device.serverTokens == tokens, "\(fate)")
    }

    /// What acts is sent once at most; what asks may be asked twice, and is answered.
    private static func expectCommands(of hour: LostHour, on server: TestServer) async throws {
        for device in hour.devices { #expect(Set(device.acts).count == device.acts.count, "\(device.id)") }
        for sent in hour.acting {
            let command = try await server.management.command(sent.uuid, of: sent.device)
            #expect(command?.state == .retired)
        }
        let converged = Set(zip(hour.devices, hour.fates).filter { $0.1.end == .converges }.map { $0.0.id })
        for sent in hour.asking where converged.contains(sent.device) {
            let command = try await server.management.command(sent.uuid, of: sent.device)
            #expect(command?.state == .acknowledged)
        }
    }
}
