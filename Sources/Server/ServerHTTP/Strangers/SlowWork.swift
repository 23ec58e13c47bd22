import Glibc
import NIOPosix

/// Runs what takes milliseconds of computing on threads of its own, so that no device's report waits for it.
///
/// There are two, each for the process and for as long as it lives: one for strangers, which yields to all other threads,
/// and one for devices, administrators and what they have a right to. What waits is bounded: beyond that the peer hears
/// "503, later".
final class SlowWork: Sendable {
    private static let strangers = thread(niceness: 5)
    private static let others = thread(niceness: 0)

    private let queue: PeerBudget
    private let waiting = Count()
    private let mostWaiting: Int

    init(limits: ServerLimits) {
        queue = PeerBudget(perNetwork: limits.strangerWorkPerNetwork, total: limits.strangerWork)
        mostWaiting = limits.slowWork
    }

    /// How much work of strangers waits or is under way.
    var queued: Int { queue.used }

    /// Runs what a peer caused without having shown a right to it.
    func run<Value: Sendable>(
        for peer: ConnectionPeer, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard !peer.standing.isKnown else { return try await run(work) }
        let network = peer.standing.network
        guard queue.take(for: network) else { throw HTTPProblem.busy }
        defer { queue.giveBack(of: network) }
        return try await Self.strangers.runIfActive(work)
    }

    /// Runs what somebody has a right to.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        defer { waiting.add(-1) }
        guard waiting.add(1) <= mostWaiting else { throw HTTPProblem.busy }
        return try await Self.others.runIfActive(work)
    }

    private static func thread(niceness: Int32) -> NIOThreadPool {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        // On Linux this changes the priority of the calling thread alone.
        pool.submit { _ in _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        return pool
    }
}
