import ServerHTTP
import Testing

@Suite struct RateBoundTests {
    private let start = ContinuousClock.now
    private let one = PeerNetwork("192.0.2.1")
    private let other = PeerNetwork("192.0.2.2")

    @Test func `a network is admitted so often in a window`() {
        var bound = RateBound(perNetwork: 2, window: .seconds(10))
        let admitted = (0..<3).map { _ in bound.admits(one, at: start) }
        #expect(admitted == [true, true, false])
        let later = [(other, 9), (one, 9), (one, 10)].map { bound.admits($0.0, at: start + .seconds($0.1)) }
        #expect(later == [true, false, true])
    }

    @Test func `it is said how long the window lasts that refuses`() {
        var bound = RateBound(perNetwork: 1, window: .seconds(10))
        #expect(bound.left(at: start) == .zero)
        _ = bound.admits(one, at: start)
        let left = [0, 4, 10, 11].map { bound.left(at: start + .seconds($0)) }
        #expect(left == [.seconds(10), .seconds(6), .zero, .zero])
    }

    @Test func `what is taken back does not count`() {
        var bound = RateBound(perNetwork: 1, window: .seconds(10))
        for _ in 0..<5 {
            let isAdmitted = bound.admits(one, at: start)
            #expect(isAdmitted)
            bound.takeBack(one)
        }
    }

    /// A17: a provider's smallest site has 65,536 networks.
    @Test func `all networks of an IPv6 site together have a bound, and shut nobody else out`() {
        var bound = RateBound(perNetwork: 5, window: .seconds(10))
        let admitted = SiteFlood.admitted { bound.admits($0, at: start) }
        #expect(admitted == SiteFlood.Admitted(ofSite: 20, ofOthers: 1_000))
    }
}

@Suite struct PeerBudgetTests {
    @Test func `a network, its site and all together have bounds, and what is given back is lent again`() {
        let budget = PeerBudget(perNetwork: 2, total: 10)
        let networks = (0..<8).map { PeerNetwork("20010db80001000\($0)") }
        #expect([1, 1, 1].map { budget.take($0, for: networks[0]) } == [true, true, false])
        #expect(networks.dropFirst().count { budget.take(2, for: $0) } == 3, "a site has four networks' worth")
        let elsewhere = PeerNetwork("192.0.2.1")
        #expect(budget.take(2, for: elsewhere))
        #expect(!budget.take(for: PeerNetwork("192.0.2.2")), "ten are lent")
        budget.giveBack(2, of: networks[1])
        #expect(budget.take(for: PeerNetwork("192.0.2.2")))
        #expect(budget.used == 9)
    }

    @Test func `an IPv4 address is its own site, and an IPv6 site is 48 bits`() {
        #expect(PeerNetwork("192.0.2.7").site == "192.0.2.7")
        #expect(PeerNetwork("20010db800010002").site == "20010db80001")
    }
}
