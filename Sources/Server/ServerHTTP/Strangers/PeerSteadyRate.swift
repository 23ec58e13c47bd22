import Synchronization

/// A `SteadyRateBound` that several requests count in at once.
final class PeerSteadyRate: Sendable {
    private let bound: Mutex<SteadyRateBound>

    init(perNetwork: Int, window: Duration) {
        bound = Mutex(SteadyRateBound(perNetwork: perNetwork, window: window))
    }

    func admits(_ peer: PeerNetwork) -> Bool { bound.withLock { $0.admits(peer) } }
}
