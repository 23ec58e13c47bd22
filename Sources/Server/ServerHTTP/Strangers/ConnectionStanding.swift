import Synchronization

/// Which budget a connection draws on: a handshake's, a stranger's, or none once its peer is known.
final class ConnectionStanding: Sendable {
    /// What becomes of an accepted connection.
    enum Beginning {
        case handshake
        case waiting
        case refused
    }

    private enum Stage {
        case new
        case waiting
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

    /// The connection was accepted.
    func begin() -> Beginning {
        guard let budget else { return .handshake }
        return stage.withLock { stage in
            // One that was closed already gives nothing back any more.
            guard stage == .new else { return .refused }
            if Self.mayBegin(network, budget) {
                stage = .handshake
                return .handshake
            }
            guard budget.waiting.take(for: network) else { return .refused }
            stage = .waiting
            return .waiting
        }
    }

    /// Whether the handshake of a connection that waits may begin now.
    func beginAfterWaiting() -> Bool {
        guard let budget else { return true }
        return stage.withLock { stage in
            guard stage == .waiting, Self.mayBegin(network, budget) else { return false }
            budget.waiting.giveBack(of: network)
            stage = .handshake
            return true
        }
    }

    private static func mayBegin(_ network: PeerNetwork, _ budget: StrangerBudget) -> Bool {
        guard budget.handshakes.take(for: network) else { return false }
        if budget.mayBegin(network) { return true }
        budget.handshakes.giveBack(of: network)
        return false
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
            case .waiting: budget?.waiting.giveBack(of: network)
            case .handshake: budget?.handshakes.giveBack(of: network)
            case .stranger: budget?.connections.giveBack(of: network)
            case .new, .known, .ended: break
            }
            stage = .ended
        }
    }
}
