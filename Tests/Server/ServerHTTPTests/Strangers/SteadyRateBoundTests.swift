import ServerHTTP
import Testing

@Suite struct SteadyRateBoundTests {
    private let start = ContinuousClock.now
    private let one = PeerNetwork("192.0.2.1")
    private let other = PeerNetwork("192.0.2.2")

    @Test func `a network that paused asks so often at once, and so does another one`() {
        var bound = SteadyRateBound(perNetwork: 4, window: .seconds(1), from: start)
        for moment in [start, start + .seconds(10)] {
            let admitted = (0..<5).map { _ in bound.admits(one, at: moment) }
            #expect(admitted == [true, true, true, true, false])
        }
        let isAdmitted = bound.admits(other, at: start + .seconds(10))
        #expect(isAdmitted)
    }

    /// Red for a bound that counts from zero in each window: it admits four at the same moment, every second.
    @Test func `a network that asks without end is admitted one by one, evenly`() {
        var bound = SteadyRateBound(perNetwork: 4, window: .seconds(1), from: start)
        while bound.admits(one, at: start) {}
        let asked = (1...300).map { $0 * 10 }
        let admitted = asked.filter { bound.admits(one, at: start + .milliseconds($0)) }
        #expect(admitted == (1...12).map { $0 * 250 })
    }

    @Test func `a refused request does not put off the next one`() {
        var bound = SteadyRateBound(perNetwork: 1, window: .seconds(1), from: start)
        let admitted = [0, 999, 999, 1_000].map { bound.admits(one, at: start + .milliseconds($0)) }
        #expect(admitted == [true, false, false, true])
    }

    @Test func `nothing is admitted where nothing may be asked`() {
        var bound = SteadyRateBound(perNetwork: 0, window: .seconds(1), from: start)
        let isAdmitted = bound.admits(one, at: start + .seconds(60))
        #expect(!isAdmitted)
    }

    /// A17, as for `RateBound`.
    @Test func `all networks of an IPv6 site together have a bound, and shut nobody else out`() {
        var bound = SteadyRateBound(perNetwork: 5, window: .seconds(10), from: start)
        let admitted = SiteFlood.admitted { bound.admits($0, at: start) }
        #expect(admitted == SiteFlood.Admitted(ofSite: 20, ofOthers: 1_000))
    }
}
