import Foundation
import Testing

/// `kill -9` at random moments: the newest accepted version arrives, and no stale value follows it.
///
/// Four in five kills fall into an operation. `make soak` runs 50 rounds for each process; the quick suite a few.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["MARTLET_CRASH_ROUNDS"].flatMap(Int.init) ?? 3
    private static let seed = ProcessInfo.processInfo.environment["MARTLET_SEED"].flatMap(UInt64.init) ?? 2026

    @Test func theNewestAcceptedVersionArrivesWhenTheServerIsKilled() async throws {
        try await survive { road in
            try road.server.killNow()
            try await road.startServer()
        }
    }

    @Test func theNewestAcceptedVersionArrivesWhenTheAgentIsKilled() async throws {
        try await survive { road in
            try road.agent.killNow()
            try await road.startAgent()
        }
    }

    @Test func theNewestAcceptedVersionArrivesWhenTheAppIsKilled() async throws {
        try await withRoad { road in
            var moments = SplitMix64(seed: Self.seed)
            var app = try road.openLandmarks()
            for round in 1...Self.rounds {
                let change = Task { try await road.configure("Round \(round)") }
                try await Task.sleep(for: .milliseconds(Int(moments.next() % 250)))
                for process in try road.landmarksProcesses() { kill(process, SIGKILL) }
                try await change.value
                _ = try await app.exit(within: .seconds(5))
                app = try road.openLandmarks()
                _ = try await app.line(containing: "Managed Collection: Round \(round)")
                try expectNoStaleValue(in: app, round: round)
            }
        }
    }

    /// Changes the configuration while `crash` happens at a random moment, in each round anew.
    private func survive(_ crash: @escaping @Sendable (Road) async throws -> Void) async throws {
        try await withRoad { road in
            var moments = SplitMix64(seed: Self.seed)
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Round 0")
            var mark = app.mark
            var accepted = 0
            for round in 1...Self.rounds {
                let change = Task { () -> Bool in
                    do { try await road.configure("Round \(round)") } catch { return false }
                    return true
                }
                if round % 5 == 0 { _ = await change.value }
                try await Task.sleep(for: .milliseconds(Int(moments.next() % 300)))
                try await crash(road)
                if await change.value {
                    accepted = round
                } else {
                    // The server died before it answered: it may or may not have accepted. Say it again.
                    try await road.configure("Round \(round)")
                    accepted = round
                }
                _ = try await app.line(
                    containing: "Managed Collection: Round \(round)", after: mark, within: .seconds(30))
                try expectNoStaleValue(in: app, round: accepted)
                mark = app.mark
            }
        }
    }

    private func withRoad(_ body: (Road) async throws -> Void) async throws {
        try await Road.with { road in
            try await road.configure("Round 0")
            try await road.assign()
            try await road.enroll()
            try await road.synchronised()
            try await body(road)
        }
    }

    /// The rounds an app showed never go back.
    private func expectNoStaleValue(in app: RunningProcess, round: Int) throws {
        let rounds = app.output.compactMap { line -> Int? in
            guard let range = line.text.range(of: "Managed Collection: Round ") else { return nil }
            return Int(line.text[range.upperBound...].prefix { $0.isNumber })
        }
        #expect(rounds == rounds.sorted(), "a stale value followed a newer one: \(rounds)")
        #expect(rounds.last == round)
    }
}

/// A small generator with a seed, so that a failing run can be repeated.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
