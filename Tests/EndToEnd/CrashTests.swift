import Foundation
import TestInputs
import Testing

/// `kill -9` at random moments of server, agent and app.
///
/// After each the newest accepted version arrives, no stale value follows it, no command takes effect twice and reports
/// are idempotent (`Workload.settle`). Four in five kills come while an operation is under way: one that came too late is
/// not counted. `make soak` runs 50 rounds for each process; the quick suite a few.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(60)))
struct CrashTests {
    static let seed = ProcessInfo.processInfo.environment["MARTLET_SEED"].flatMap(UInt64.init) ?? 2026
    private static let rounds = ProcessInfo.processInfo.environment["MARTLET_CRASH_ROUNDS"].flatMap(Int.init) ?? 5

    @Test func theNewestAcceptedVersionArrivesWhenTheServerIsKilled() async throws {
        try await survive([.configure, .command, .refuse, .enroll]) { workload in
            try workload.road.server.killNow()
            try await workload.road.startServer()
        }
    }

    @Test func theNewestAcceptedVersionArrivesWhenTheAgentIsKilled() async throws {
        try await survive([.configure, .command, .refuse]) { workload in
            try workload.road.agent.killNow()
            try await workload.road.startAgent()
        }
    }

    @Test func theNewestAcceptedVersionArrivesWhenTheAppIsKilled() async throws {
        try await survive([.configure, .refuse, .command]) { workload in
            for process in try workload.road.landmarksProcesses() { kill(process, SIGKILL) }
            try await workload.reopenApp()
        }
    }

    /// Has `crash` happen at a random moment of an operation, and in every fifth round between two.
    private func survive(
        _ operations: [Workload.Operation], _ crash: @Sendable (Workload) async throws -> Void
    ) async throws {
        try await Workload.with { workload in
            var moments = SplitMix64(seed: Self.seed)
            var spans: [Workload.Operation: Duration] = [:]
            for operation in operations + operations {
                spans[operation] = try await ContinuousClock().measure { try await workload.perform(operation) }
                try await workload.settle()
            }
            var done = 0
            for _ in 0..<Self.rounds * 10 where done < Self.rounds {
                let operation = operations[done % operations.count]
                if done % 5 == 4 {
                    try await crash(workload)
                    try await workload.perform(operation)
                    try await workload.settle()
                    done += 1
                    continue
                }
                let span = spans[operation] ?? .zero
                let change = Task { try await ContinuousClock().measure { try await workload.perform(operation) } }
                try await Task.sleep(for: span * Double.random(in: 0..<1, using: &moments))
                let isUnderway = workload.isUnderway
                try await crash(workload)
                let taken = try await change.value
                try await workload.settle()
                if isUnderway {
                    done += 1
                } else {
                    // The machine has become less busy: it was over before.
                    spans[operation] = taken
                }
            }
            #expect(done == Self.rounds, "too few kills came during an operation")
        }
    }
}
