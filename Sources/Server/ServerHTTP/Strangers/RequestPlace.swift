import Synchronization

/// What one request holds while it is answered: its place among the requests under way, and the memory of its body.
///
/// While its body is awaited it has no place: a half-sent request costs its connection and nothing else.
final class RequestPlace: Sendable {
    /// That of the request which the present task answers.
    @TaskLocal static var current: RequestPlace?

    private struct Held {
        var isUnderWay = false
        /// Whether the place is a stranger's: a peer may become known meanwhile.
        var isStrangers = false
        var bytes = 0
        var strangersBytes = 0
    }

    private let standing: ConnectionStanding
    private let traffic: Traffic
    private let strangers: StrangerBudget
    private let limits: ServerLimits
    private let held = Mutex(Held())

    init(_ standing: ConnectionStanding, _ traffic: Traffic, _ strangers: StrangerBudget, _ limits: ServerLimits) {
        self.standing = standing
        self.traffic = traffic
        self.strangers = strangers
        self.limits = limits
    }

    /// Takes a place; throws if there is none.
    func enter() throws(HTTPProblem) {
        let isStranger = !standing.isKnown
        let entered = held.withLock { held in
            guard !held.isUnderWay else { return true }
            guard !isStranger || strangers.requests.take(for: standing.network) else { return false }
            guard traffic.enter(limit: limits.requestsUnderWay) else {
                if isStranger { strangers.requests.giveBack(of: standing.network) }
                return false
            }
            (held.isUnderWay, held.isStrangers) = (true, isStranger)
            return true
        }
        guard entered else { throw .busy }
    }

    /// Gives the place back, and keeps the memory.
    func leave() { held.withLock { leave(&$0) } }

    /// Takes memory for a part of the body; throws if there is none.
    func takeBody(_ count: Int) throws(HTTPProblem) {
        let isStranger = !standing.isKnown
        let taken = held.withLock { held in
            guard traffic.takeBody(count, limit: limits.bodyBytes) else { return false }
            held.bytes += count
            guard isStranger else { return true }
            // The first bytes are bounded by the number of connections: small requests pass however full the budget is.
            let more = max(0, held.bytes - limits.freeBodyBytes) - held.strangersBytes
            guard more > 0 else { return true }
            guard strangers.bodyBytes.take(more, for: standing.network) else { return false }
            held.strangersBytes += more
            return true
        }
        guard taken else { throw .busy }
    }

    /// Gives back everything.
    func end() {
        held.withLock { held in
            leave(&held)
            traffic.giveBackBody(held.bytes)
            strangers.bodyBytes.giveBack(held.strangersBytes, of: standing.network)
            (held.bytes, held.strangersBytes) = (0, 0)
        }
    }

    private func leave(_ held: inout Held) {
        guard held.isUnderWay else { return }
        held.isUnderWay = false
        traffic.leave()
        if held.isStrangers { strangers.requests.giveBack(of: standing.network) }
    }
}
