import Foundation
import Management
import StoreSQLite
import Testing

/// A played fleet whose backup `martlet-server restore` puts back, killed in the middle of it and run again.
///
/// The quick suite kills it at two steps. `make soak` kills it at each of them, and plays 1,000 devices for those two.
@Suite(.timeLimit(.minutes(120)))
struct InterruptedRestoreTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// As few as meet each fate.
    private static let count = environment["MARTLET_RESTORED_DEVICES"].flatMap(Int.init) ?? 16
    /// Where a run through all steps begins: at 1, or where MARTLET_CRASH_POINTS says that one goes on.
    private static let first = environment["MARTLET_CRASH_POINTS"].flatMap { $0 == "all" ? 1 : Int($0) }
    /// Longer than the hour that is lost.
    private static let past: TimeInterval = 7_200

    /// The fleet converges as it does after a restore that nobody ends.
    ///
    /// Red where the second run keeps what the killed one left: a database without an era, whose numbers devices take
    /// for lost values, or one with two eras. Red, too, where a part of a restore passes for a data directory.
    @Test func aRestoreThatIsKilledAndRunAgainLetsTheFleetConverge() async throws {
        try await ForeignProgram.inFolder { folder in
            let directory = try OperatedDirectory(in: folder)
            let clock = TestClock(stands: true)
            // A restore dates its era by the machine's clock, and the lost hour lies before that.
            clock.advance(by: -Self.past)
            let socket = try ListeningSocket()
            let lost = try await TestServer.run(clock: clock, handed: socket, kept: directory.store) {
                (server) async throws -> LostHour in
                var hour = LostHour(Self.count, seed: 31)
                try await hour.begin(on: server, clock)
                try await hour.backUp(at: clock) { try await directory.backUp(asOf: clock.second) }
                try await hour.pass(on: server, clock)
                return hour
            }
            try #require(clock.now < Date())
            try directory.remove()
            let whole = try await directory.restore()
            try #require(whole.status == 0, "\(whole.output)")
            for number in try Self.killed(of: whole.steps) {
                Self.tell(number, of: whole.steps.count)
                try directory.remove()
                try await Self.restore(lost, into: directory, killedAt: number)
                let ahead = Date().timeIntervalSince(clock.now) + 1
                clock.advance(by: max(1, ahead))
                try await TestServer.run(clock: clock, handed: socket, kept: directory.store) {
                    (server) async throws in
                    let eras = try await server.store.eras()
                    #expect(eras.map(\.copied) == [lost.copied], "step \(number)")
                    var hour = lost
                    try await hour.converge(on: server, clock)
                }
            }
        }
    }

    /// Kills a restore at one of its steps, and has another one finish it.
    private static func restore(
        _ lost: LostHour, into directory: OperatedDirectory, killedAt number: Int
    ) async throws {
        let cut = try await directory.restore(killedAt: number)
        #expect(cut.status == SIGKILL && cut.steps.count == number, "step \(number): \(cut.output)")
        if directory.isRestoredInPart {
            let checked = try await directory.check()
            #expect(checked.status == 1 && checked.output.contains("only in part"), "\(number): \(checked.output)")
        }
        // At its last step everything is there.
        guard !directory.isRestored else { return }
        let again = try await directory.restore()
        try #require(again.status == 0, "step \(number), \(cut.steps.last ?? ""): \(again.output)")
        for words in [
            "devices in the backup: \(count);", "may have renewed their identity since: 0;",
            "retired, which are not sent again: \(lost.acting.count)",
            "secrets that devices fetch anew: \(FleetValues.groups)",
        ] {
            #expect(again.output.contains(words), "step \(number): \(again.output)")
        }
    }

    /// In the quick suite a write of the era, and a rename by which the files come out one by one.
    private static func killed(of steps: [String]) throws -> [Int] {
        if let first { return first <= steps.count ? Array(first...steps.count) : [] }
        let writes = steps.indices.filter { steps[$0].hasPrefix("write /restoring/martlet.sqlite-wal") }
        let renames = steps.indices.filter { steps[$0].hasPrefix("rename /") }
        try #require(writes.count > 2 && renames.count > 2, "\(steps)")
        return [writes[writes.count / 2] + 1, renames[renames.count / 2] + 1]
    }

    /// Says how far a long run has come, if this is one.
    private static func tell(_ number: Int, of count: Int) {
        guard first != nil else { return }
        FileHandle.standardError.write(Data("restore of a fleet: step \(number) of \(count)\n".utf8))
    }
}
