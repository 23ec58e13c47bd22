import Foundation
import Testing

@testable import Management

/// How guessing is slowed down: for whom, for how long, and with how much memory.
struct LogInThrottleTests {
    private static let start = Fixture.start

    /// However many keys are guessed at, no more are remembered than fit: the oldest is forgotten first.
    @Test func beyondItsCapacityTheOldestFailureIsForgotten() {
        let throttle = LogInThrottle(free: 1, capacity: 2)
        for (index, key) in ["a", "b", "c"].enumerated() {
            #expect(throttle.begin(key, now: Self.start + Double(index) / 10) == nil)
        }
        #expect(throttle.begin("b", now: Self.start + 0.25) == 1)
        #expect(throttle.begin("c", now: Self.start + 0.25) == 1)
        #expect(throttle.begin("a", now: Self.start + 0.25) == nil)
    }

    /// The wait doubles to five minutes and no further, and an hour of peace begins anew.
    @Test func theWaitHasABoundAndAnEnd() {
        let throttle = LogInThrottle(free: 2)
        var now = Self.start
        var waits: [Int] = []
        for _ in 0..<14 {
            if let wait = throttle.begin("a", now: now) {
                waits.append(wait)
                now += Double(wait)
                #expect(throttle.begin("a", now: now) == nil)
            }
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        now += 3_601
        #expect(throttle.begin("a", now: now) == nil && throttle.begin("a", now: now) == nil)
        #expect(throttle.begin("a", now: now) == 1)
    }

    /// Who is kept waiting for a name that others guess at has not guessed: their address is not held against them.
    @Test func waitingForANameIsNoGuess() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        for _ in 0..<5 {
            _ = try await management.logIn(name: first.name, password: "guess", from: "192.0.2.9")
        }
        for _ in 0..<40 {
            let refusal = try await management.logIn(
                name: first.name, password: first.oneTimePassword, from: "192.0.2.1"
            ).refusal
            #expect(refusal == .throttled(seconds: 1))
        }
        #expect(
            try await management.logIn(name: "another", password: "guess", from: "192.0.2.1").refusal
                == .wrongNameOrPassword)
        fixture.advance(1)
        #expect(
            try await management.logIn(name: first.name, password: first.oneTimePassword, from: "192.0.2.1").value
                != nil)
    }
}
