/// Bounds how many requests each network, and the site around it, makes within a window of time.
///
/// Memory is constant, and no number of addresses uses it up, as they are counted in `SketchCells`. Only admitted requests
/// count, so a refused one cannot fill anybody's cells.
package struct RateBound: Sendable {
    private let perNetwork: Int
    private let window: Duration
    private var began: ContinuousClock.Instant?
    private var networks = Counts()
    private var sites = Counts()

    package init(perNetwork: Int, window: Duration) {
        self.perNetwork = perNetwork
        self.window = window
    }

    /// Counts one request, or refuses it.
    package mutating func admits(_ peer: PeerNetwork, at moment: ContinuousClock.Instant = .now) -> Bool {
        if began.map({ $0.duration(to: moment) >= window }) ?? true {
            began = moment
            networks = Counts()
            sites = Counts()
        }
        guard networks.count(of: peer.network) < perNetwork,
            sites.count(of: peer.site) < perNetwork * PeerNetwork.networksPerSite
        else { return false }
        networks.add(1, to: peer.network)
        sites.add(1, to: peer.site)
        return true
    }

    /// How long the window lasts that counts now.
    package func left(at moment: ContinuousClock.Instant = .now) -> Duration {
        began.map { max(.zero, window - $0.duration(to: moment)) } ?? .zero
    }

    /// Takes back a request that turned out to be no stranger's.
    package mutating func takeBack(_ peer: PeerNetwork) {
        networks.add(-1, to: peer.network)
        sites.add(-1, to: peer.site)
    }

    /// A count-min sketch: never counts too little.
    private struct Counts: Sendable {
        private var cells = [Int32](repeating: 0, count: SketchCells.count)

        func count(of name: String) -> Int {
            let (first, second) = SketchCells.of(name)
            return Int(min(cells[first], cells[second]))
        }

        mutating func add(_ amount: Int32, to name: String) {
            let (first, second) = SketchCells.of(name)
            // What is taken back in the window after it was counted was forgotten already.
            cells[first] = max(0, cells[first] + amount)
            cells[second] = max(0, cells[second] + amount)
        }
    }
}
