import Logging
import Synchronization
import TestLog
import Testing
import Waiting

@testable import ServerHTTP

/// What a server does by itself once a minute.
@Suite(.timeLimit(.minutes(10))) struct UpkeepTests {
    /// Red where a server that was busy once keeps for good what it needed then.
    @Test func freedMemoryGoesBackAgainAndAgain() async throws {
        try await TestServer.run { (server) async throws in
            let tally = Tally()
            let upkeep = Upkeep(
                management: server.management, traffic: Traffic(),
                returnMemory: { tally.count.withLock { $0 += 1 } }, logger: Logger(label: "test"),
                pause: .milliseconds(5))
            let running = Task { try await upkeep.run() }
            defer { running.cancel() }
            try await eventually("memory is given back twice") { tally.count.withLock { $0 } >= 2 }
            // It writes once more at its end, which the store is to be open for.
            running.cancel()
            _ = await running.result
        }
    }

    /// Red where the log had "upkeep failed" with the name of a type, beside the line that the store writes.
    @Test func aDiskThatRefusesIsSaidByTheStoreAlone() async throws {
        try await TestServer.run { (server) async throws in
            try await RefusingDisk.setReadOnly(true, server.store)
            let (tally, log) = (Tally(), LogLines())
            let upkeep = Upkeep(
                management: server.management, traffic: Traffic(),
                returnMemory: { tally.count.withLock { $0 += 1 } }, logger: log.logger(), pause: .milliseconds(5))
            let running = Task { try await upkeep.run() }
            defer { running.cancel() }
            try await eventually("two rounds") { tally.count.withLock { $0 } >= 2 }
            running.cancel()
            _ = await running.result
            #expect(!log.all.contains { $0.contains("was not done") || $0.contains("StoreDiskRefusal") }, "\(log.all)")
            try await RefusingDisk.setReadOnly(false, server.store)
        }
    }

    private final class Tally: Sendable { let count = Mutex(0) }
}
