/// What all peers that have not proved to be devices or administrators may cost: by network, by site and in total.
///
/// A device with a certificate of ours, and a connection on which a device's signature or an administrator's token was
/// accepted, draws on none of this.
final class StrangerBudget: Sendable {
    /// Connections whose TLS handshake is under way.
    let handshakes: PeerBudget
    /// Connections that wait until their network may begin another handshake.
    let waiting: PeerBudget
    let connections: PeerBudget
    /// Requests that are being answered.
    let requests: PeerBudget
    /// Bytes of bodies that are in memory, beyond the first of each.
    let bodyBytes: PeerBudget
    let work: SlowWork
    /// Whether a connection's certificate was issued by this server.
    let isOurs: @Sendable (ConnectionPeer) -> Bool
    private let pace: PeerSteadyRate
    private let begun: PeerRate
    private let begunBeyond: PeerSteadyRate

    init(limits: ServerLimits, isOurs: @escaping @Sendable (ConnectionPeer) -> Bool) {
        handshakes = PeerBudget(perNetwork: limits.handshakesPerNetwork, total: limits.handshakes)
        waiting = PeerBudget(perNetwork: limits.handshakesAwaitedPerNetwork, total: limits.handshakesAwaited)
        connections = PeerBudget(perNetwork: limits.strangersPerNetwork, total: limits.strangers)
        requests = PeerBudget(
            perNetwork: limits.strangerRequestsUnderWayPerNetwork, total: limits.strangerRequestsUnderWay)
        bodyBytes = PeerBudget(perNetwork: limits.strangerBodyBytesPerNetwork, total: limits.strangerBodyBytes)
        work = SlowWork(limits: limits)
        pace = PeerSteadyRate(perNetwork: limits.strangerRequests, window: limits.strangerWindow)
        begun = PeerRate(perNetwork: limits.handshakesBegun, window: .seconds(10))
        begunBeyond = PeerSteadyRate(
            perNetwork: limits.handshakesBegunBeyond, window: limits.handshakesBegunBeyondWindow)
        self.isOurs = isOurs
    }

    /// Counts a request; false means that its network asks faster than the bound, and has to wait.
    func keepsPace(_ peer: PeerNetwork) -> Bool { pace.admits(peer) }

    /// Counts a connection whose handshake is about to begin; false means that it has to wait for one.
    ///
    /// A handshake costs a signature, and who is no stranger shows only in it. So a network whose strangers have all their
    /// connections gets few more: strangers that come back at once do not keep the server busy, and its devices get in.
    /// Only a handshake that begins counts: those that have to wait take nothing from the others of their network.
    func mayBegin(_ peer: PeerNetwork) -> Bool {
        (connections.hasRoom(for: peer) || begunBeyond.admits(peer)) && begun.admits(peer)
    }
}
