import Synchronization

/// Which budget a connection draws on: a handshake's, a stranger's, or none once its peer is known.
final class ConnectionStanding: Sendable {
    private enum Stage {
        case new
        case handshake
        case stranger
        case known
        case ended
    }

    let network: PeerNetwork
    private let budget: StrangerBudget?
    private let stage = Mutex(Stage.new)

    init(network: PeerNetwork, budget: StrangerBudget?) {
        self.network = network
        self.budget = budget
    }

    var isKnown: Bool { stage.withLock { $0 == .known } }

    /// The connection was accepted; false means that it has to be closed.
    func begin() -> Bool {
        guard let budget else { return true }
        return stage.withLock { stage in
            guard budget.mayBegin(network), budget.handshakes.take(for: network) else { return false }
            stage = .handshake
            return true
        }
    }

    /// The handshake is over; false means that one stranger too many has to be let go.
    func completeHandshake(of peer: ConnectionPeer) -> Bool {
        guard let budget else { return true }
        let isOurs = budget.isOurs(peer)
        return stage.withLock { stage in
            guard stage == .handshake else { return stage == .known }
            budget.handshakes.giveBack(of: network)
            stage = .ended
            if isOurs {
                stage = .known
            } else if budget.connections.take(for: network) {
                stage = .stranger
            }
            return stage != .ended
        }
    }

    /// The peer proved to be a device or an administrator: its connection counts as a stranger's no longer.
    func recognize() {
        stage.withLock { stage in
            guard stage == .stranger || stage == .new else { return }
            if stage == .stranger { budget?.connections.giveBack(of: network) }
            stage = .known
        }
    }

    /// The connection is closed.
    func end() {
        stage.withLock { stage in
            switch stage {
            case .handshake: budget?.handshakes.giveBack(of: network)
            case .stranger: budget?.connections.giveBack(of: network)
            case .new, .known, .ended: break
            }
            stage = .ended
        }
    }
}
