import Foundation
import OpenIDConnect
import Testing

@testable import ServerHTTP

@Suite struct SignInAttemptsTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func attempt(_ number: Int, at moment: Date) -> SignInAttempt {
        SignInAttempt(
            state: "\(number)", nonce: "", verifier: "", browser: Proof.digest("b"), began: moment, purpose: .browser)
    }

    private func isTaken(_ number: Int, _ attempts: SignInAttempts, at moment: Date) -> Bool {
        (try? attempts.take(state: "\(number)", browser: "b", now: moment)) != nil
    }

    @Test func `of too many the oldest end`() {
        let attempts = SignInAttempts(most: 3)
        for number in 0..<5 { attempts.add(attempt(number, at: now + TimeInterval(number))) }
        #expect((0..<5).map { isTaken($0, attempts, at: now + 5) } == [false, false, true, true, true])
    }

    @Test func `one is good once, and for ten minutes`() {
        let attempts = SignInAttempts()
        for number in 0..<3 { attempts.add(attempt(number, at: now)) }
        #expect(isTaken(0, attempts, at: now) && !isTaken(0, attempts, at: now))
        #expect(!isTaken(1, attempts, at: now + SignInAttempts.validSeconds))
    }

    /// A17: eleven addresses ended everybody's sign-in.
    @Test func `thirty addresses that begin as many as they may end nobody's`() {
        // A window may end between them: then an address begins twice as many in ten minutes.
        #expect(30 * 2 * ServerLimits().signInsBegun < SignInAttempts.most)
    }
}
