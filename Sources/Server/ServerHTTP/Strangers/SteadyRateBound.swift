/// Bounds how fast each network, and the site around it, sends requests: a window's number at once after a pause, and then
/// one by one, evenly.
///
/// A `RateBound` counts from zero in each window: it would admit a burst whenever one begins, and devices would wait behind
/// that. Memory is constant, as for `RateBound`. Only admitted requests count.
package struct SteadyRateBound: Sendable {
    private let perNetwork: Int
    private let window: Int64
    private let began: ContinuousClock.Instant
    private var networks = Debts()
    private var sites = Debts()

    package init(perNetwork: Int, window: Duration, from began: ContinuousClock.Instant = .now) {
        self.perNetwork = perNetwork
        self.window = window.wholeNanoseconds
        self.began = began
    }

    /// Counts one request, or refuses it.
    package mutating func admits(_ peer: PeerNetwork, at moment: ContinuousClock.Instant = .now) -> Bool {
        guard perNetwork > 0 else { return false }
        let now = began.duration(to: moment).wholeNanoseconds
        let step = max(1, window / Int64(perNetwork))
        let siteStep = max(1, step / Int64(PeerNetwork.networksPerSite))
        guard networks.end(of: peer.network, from: now) + step <= now + window,
            sites.end(of: peer.site, from: now) + siteStep <= now + window
        else { return false }
        networks.add(step, to: peer.network, from: now)
        sites.add(siteStep, to: peer.site, from: now)
        return true
    }

    /// Until when each name's admitted requests take up its rate, in nanoseconds: never too early, as names may share a cell.
    private struct Debts: Sendable {
        private var ends = [Int64](repeating: 0, count: SketchCells.count)

        func end(of name: String, from now: Int64) -> Int64 {
            let (first, second) = SketchCells.of(name)
            return max(now, min(ends[first], ends[second]))
        }

        mutating func add(_ step: Int64, to name: String, from now: Int64) {
            let (first, second) = SketchCells.of(name)
            ends[first] = max(now, ends[first]) + step
            ends[second] = max(now, ends[second]) + step
        }
    }
}

extension Duration {
    /// Does not overflow for windows and the age of a process, which are far below 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
