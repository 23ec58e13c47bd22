/// Bounds how many requests each network, and the site around it, makes within a window of time.
///
/// Memory is constant, and no number of addresses uses it up. Each address is counted in one cell of each of two rows, so
/// two addresses share a count only where both cells coincide; the seeds are random for each process. Only admitted
/// requests count, so a refused one cannot fill anybody's cells.
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

    /// Takes back a request that turned out to be no stranger's.
    package mutating func takeBack(_ peer: PeerNetwork) {
        networks.add(-1, to: peer.network)
        sites.add(-1, to: peer.site)
    }

    /// A count-min sketch: never counts too little.
    private struct Counts: Sendable {
        private static let width = 4_096
        private static let rows = 2

        private var cells = [Int32](repeating: 0, count: width * rows)

        func count(of name: String) -> Int {
            (0..<Self.rows).map { Int(cells[Self.cell(of: name, in: $0)]) }.min() ?? 0
        }

        mutating func add(_ amount: Int32, to name: String) {
            for row in 0..<Self.rows {
                let cell = Self.cell(of: name, in: row)
                // What is taken back in the window after it was counted was forgotten already.
                cells[cell] = max(0, cells[cell] + amount)
            }
        }

        private static func cell(of name: String, in row: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(row)
            hasher.combine(name)
            return row * width + Int(UInt(bitPattern: hasher.finalize()) % UInt(width))
        }
    }
}
