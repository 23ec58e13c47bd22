import Foundation
import Management
import StoreSQLite
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
            try await hour.backUp(at: clock) { _ = try await server.store.copy(to: copy, progress: { _, _ in }) }
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
            try await hour.converge(on: server, clock)
        }
    }
}
