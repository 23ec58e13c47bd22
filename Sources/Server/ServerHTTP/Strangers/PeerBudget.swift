import Synchronization

/// Lends something scarce to strangers: so much to each network, to the site around it, and to all of them together.
///
/// Memory follows what is lent: a network that gave everything back is forgotten.
package final class PeerBudget: Sendable {
    private struct Lent {
        var all = 0
        var byNetwork: [String: Int] = [:]
        var bySite: [String: Int] = [:]
    }

    private let perNetwork: Int
    private let total: Int
    private let lent = Mutex(Lent())

    package init(perNetwork: Int, total: Int) {
        self.perNetwork = perNetwork
        self.total = total
    }

    /// What is lent at the moment.
    package var used: Int { lent.withLock { $0.all } }

    /// Whether a network could be lent one more, as far as its own bounds go.
    func hasRoom(for peer: PeerNetwork) -> Bool {
        lent.withLock { lent in
            (lent.byNetwork[peer.network] ?? 0) < perNetwork
                && (lent.bySite[peer.site] ?? 0) < perNetwork * PeerNetwork.networksPerSite
        }
    }

    /// Lends `amount`, or nothing if that would pass a bound.
    package func take(_ amount: Int = 1, for peer: PeerNetwork) -> Bool {
        lent.withLock { lent in
            let (network, site) = (lent.byNetwork[peer.network] ?? 0, lent.bySite[peer.site] ?? 0)
            guard network + amount <= perNetwork, site + amount <= perNetwork * PeerNetwork.networksPerSite,
                lent.all + amount <= total
            else { return false }
            lent.byNetwork[peer.network] = network + amount
            lent.bySite[peer.site] = site + amount
            lent.all += amount
            return true
        }
    }

    package func giveBack(_ amount: Int = 1, of peer: PeerNetwork) {
        guard amount > 0 else { return }
        lent.withLock { lent in
            Self.lower(&lent.byNetwork, peer.network, by: amount)
            Self.lower(&lent.bySite, peer.site, by: amount)
            lent.all -= amount
        }
    }

    private static func lower(_ counts: inout [String: Int], _ name: String, by amount: Int) {
        let left = (counts[name] ?? 0) - amount
        counts[name] = left > 0 ? left : nil
    }
}
