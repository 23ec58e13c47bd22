import ACME
import Foundation
import Testing

struct ReplayNoncesTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let key = Data(repeating: 7, count: 32)

    @Test func `a nonce is taken once`() {
        var nonces = ReplayNonces(key: key)
        let nonce = nonces.make(now: now, random: 1)
        #expect(nonces.take(nonce, now: now) == .taken)
        #expect(nonces.take(nonce, now: now) == .refused)
        #expect(nonces.take(nonces.make(now: now, random: 2), now: now) == .taken)
    }

    @Test func `a nonce is young, and one of ours`() {
        var nonces = ReplayNonces(key: key)
        let nonce = nonces.make(now: now, random: 1)
        #expect(nonces.take(nonce, now: now + ReplayNonces.lifetime + 1) == .refused)
        #expect(nonces.take(ReplayNonces(key: Data(count: 32)).make(now: now, random: 1), now: now) == .refused)
        for text in ["", "x", String(nonce.dropLast()), nonce + "A", String(repeating: "A", count: 64)] {
            #expect(nonces.take(text, now: now) == .refused)
        }
        #expect(nonces.take(nonce, now: now + ReplayNonces.lifetime) == .taken)
    }

    /// Being asked for costs nothing; being full lets nothing be replayed and ends with time.
    @Test func `used nonces are bounded, and no used one is forgotten while it is young`() {
        var nonces = ReplayNonces(key: key, capacity: 3)
        let made = (0..<5).map { nonces.make(now: now, random: $0) }
        for nonce in made.prefix(3) { #expect(nonces.take(nonce, now: now) == .taken) }
        #expect(nonces.take(made[3], now: now) == .full)
        #expect(nonces.take(made[0], now: now) == .refused)
        let later = now + ReplayNonces.lifetime
        #expect(nonces.take(made[0], now: later) == .refused)
        let fresh = nonces.make(now: later + 1, random: 9)
        #expect(nonces.take(fresh, now: later + 1) == .taken)
        #expect(nonces.take(made[0], now: later + 1) == .refused)
    }
}
