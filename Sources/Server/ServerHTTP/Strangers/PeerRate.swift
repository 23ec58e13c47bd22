import Synchronization

/// A `RateBound` that several requests count in at once.
final class PeerRate: Sendable {
    private let bound: Mutex<RateBound>

    init(perNetwork: Int, window: Duration = .seconds(600)) {
        bound = Mutex(RateBound(perNetwork: perNetwork, window: window))
    }

    func admits(_ peer: PeerNetwork) -> Bool { bound.withLock { $0.admits(peer) } }
    func takeBack(_ peer: PeerNetwork) { bound.withLock { $0.takeBack(peer) } }

    /// After how many seconds one that is refused now may be admitted.
    var secondsLeft: Int { Int(bound.withLock { $0.left() }.components.seconds) + 1 }
}
