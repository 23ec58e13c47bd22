import Synchronization

/// What became of pushes since the server began.
package final class PushTally: Sendable {
    private let sent = Atomic(0)
    private let retirements = Atomic(0)
    private let failures = Atomic(0)

    package init() {}

    /// Pushes that the push service accepted.
    package var accepted: Int { sent.load(ordering: .relaxed) }
    /// Tokens that it refused for good.
    package var retired: Int { retirements.load(ordering: .relaxed) }
    /// Attempts that failed otherwise.
    package var failed: Int { failures.load(ordering: .relaxed) }

    func count(_ answer: PushAnswer) {
        switch answer {
        case .accepted: sent.add(1, ordering: .relaxed)
        case .retired: retirements.add(1, ordering: .relaxed)
        case .refused, .credentialRefused, .later: failures.add(1, ordering: .relaxed)
        }
    }
}
