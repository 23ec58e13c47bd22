import Synchronization
import Testing
import Waiting

@testable import DeviceAgent

/// Work that runs when a bell rings.
@Suite(.timeLimit(.minutes(10)))
struct InstallBellTests {
    /// A pass that leaves something is followed by another one after the rest, without a ring.
    @Test func whatIsLeftIsTriedAgain() async throws {
        let (bell, passes) = (InstallBell(), Passes())
        let work = Task { await bell.work(rest: .milliseconds(1)) { passes.add() >= 3 } }
        defer { work.cancel() }
        try await eventually("the third pass") { passes.count >= 3 }
    }

    /// Work that is done rests until the bell rings, and ends with its task.
    @Test func workThatIsDoneWaitsForTheBell() async throws {
        let (bell, passes) = (InstallBell(), Passes())
        let work = Task { await bell.work(rest: .milliseconds(1)) { passes.add() >= 1 } }
        try await eventually("the first pass") { passes.count == 1 }
        bell.ring()
        try await eventually("another for the ring") { passes.count == 2 }
        work.cancel()
        await work.value
    }

    private final class Passes: Sendable {
        private let passes = Mutex(0)

        var count: Int { passes.withLock { $0 } }

        /// Counts one more, and says how many there are.
        func add() -> Int {
            passes.withLock { passes in
                passes += 1
                return passes
            }
        }
    }
}
