import ACME
import Foundation
import Testing

struct ReplayNoncesTests {
    private let start = Duration.seconds(1_000)
    private let key = Data(repeating: 7, count: 32)

    @Test func `a nonce is taken once`() {
        var nonces = ReplayNonces(key: key)
        let made = (0..<2).map { _ in nonces.make(at: start) }
        #expect(nonces.take(made[1], at: start) == true)
        #expect(nonces.take(made[1], at: start) == false)
        #expect(nonces.take(made[0], at: start) == true)
        #expect(nonces.take(made[0], at: start) == false)
    }

    @Test func `a nonce is young, and one of ours`() {
        var (nonces, others) = (ReplayNonces(key: key), ReplayNonces(key: Data(count: 32)))
        let nonce = nonces.make(at: start)
        #expect(nonces.take(nonce, at: start + ReplayNonces.lifetime + .seconds(1)) == false)
        #expect(nonces.take(others.make(at: start), at: start) == false)
        for text in ["", "x", String(nonce.dropLast()), nonce + "A", String(repeating: "A", count: 64)] {
            #expect(nonces.take(text, at: start) == false)
        }
        #expect(nonces.take(nonce, at: start + ReplayNonces.lifetime) == true)
    }

    /// A5: a flood ends the oldest nonces early, and nobody is kept from taking a new one.
    @Test func `however many are given out and taken, a new one is good`() {
        var nonces = ReplayNonces(key: key, window: 4)
        let made = (0..<10).map { _ in nonces.make(at: start) }
        let taken = made.map { nonces.take($0, at: start) }
        #expect(taken == Array(repeating: false, count: 6) + Array(repeating: true, count: 4))
        for _ in 0..<100 {
            let fresh = nonces.make(at: start)
            #expect(nonces.take(fresh, at: start) == true)
            #expect(nonces.take(fresh, at: start) == false)
        }
    }

    /// What is forgotten is refused by its age.
    @Test func `a nonce that was taken is never taken again, also after what was taken is forgotten`() {
        var nonces = ReplayNonces(key: key)
        let made = (0..<3).map { nonces.make(at: start + .seconds($0 * 300)) }
        #expect(nonces.take(made[0], at: start) == true)
        let later = start + .seconds(601)
        #expect(nonces.take(made[1], at: later) == true, "the first is too old, and its page is forgotten")
        for nonce in made.prefix(2) { #expect(nonces.take(nonce, at: later) == false) }
        #expect(nonces.take(made[2], at: later) == true)
    }
}
