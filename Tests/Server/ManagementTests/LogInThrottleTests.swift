import Foundation
import StoreSQLite
import Synchronization
import Testing

@testable import Management

/// How guessing is slowed down: for whom, for how long, and with how much memory.
struct LogInThrottleTests {
    private static let start: TimeInterval = 1_000

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

    /// An attempt that waits because others guess at its name is no guess: it does not count against its address.
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

    /// A14: however long strangers guess at a name, whoever signed in from their own address before gets in at once.
    @Test func guessesOfStrangersDoNotDelayWhoIsKnownAtAnAddress() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        func logIn(_ password: String, _ address: String) async throws -> Outcome<OpenedSession, LogInRefusal> {
            try await management.logIn(name: first.name, password: password, from: address)
        }
        #expect(try await logIn(first.oneTimePassword, "192.0.2.1").value != nil)
        // A machine that takes every opening.
        for number in 0..<30 {
            if case .throttled(let seconds) = try await logIn("guess", "198.51.100.\(number)").refusal {
                #expect(seconds <= 300)
                fixture.advance(TimeInterval(seconds))
                #expect(try await logIn("guess", "198.51.100.\(number)").refusal == .wrongNameOrPassword)
            }
        }
        guard case .throttled = try await logIn(first.oneTimePassword, "198.51.100.200").refusal else {
            Issue.record("strangers wait")
            return
        }
        #expect(try await logIn(first.oneTimePassword, "192.0.2.1").value != nil)
        // Their own mistakes count, by themselves.
        for _ in 0..<5 { #expect(try await logIn("mistake", "192.0.2.1").refusal == .wrongNameOrPassword) }
        #expect(try await logIn(first.oneTimePassword, "192.0.2.1").refusal == .throttled(seconds: 1))
        fixture.advance(1)
        #expect(try await logIn(first.oneTimePassword, "192.0.2.1").value != nil)
    }

    /// A14: the same with a browser that was signed in with before, from wherever it comes and after a new start.
    @Test func guessesOfStrangersDoNotDelayAKnownBrowser() async throws {
        let fixture = try Fixture()
        var management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        let opened = try #require(await management.logIn(name: first.name, password: first.oneTimePassword).value)
        let browser = try #require(await management.knownBrowser(ofSession: opened.token))
        #expect(try await management.knownBrowser(ofSession: "nobody's") == nil)
        try fixture.restart()
        management = try fixture.management
        for _ in 0..<5 { _ = try await management.logIn(name: first.name, password: "guess", from: "198.51.100.1") }
        func isLetIn(_ shown: String?) async throws -> Bool {
            try await management.logIn(
                name: first.name, password: first.oneTimePassword, from: "192.0.2.7", browser: shown
            ).value != nil
        }
        let other = browser.replacing("a", with: "b")
        for shown in [nil, "", browser + "0", String(browser.dropLast()), other == browser ? "x" : other, "a.b.c"] {
            #expect(try await !isLetIn(shown), "\(shown ?? "nothing")")
        }
        #expect(management.known(browser, as: "another") == nil)
        #expect(try await isLetIn(browser))
        fixture.advance(KnownBrowser.validSeconds)
        #expect(management.known(browser, as: first.name) == nil)
    }

    /// A14: who has a session changes their password whatever others guess.
    @Test func guessesOfStrangersDoNotKeepASessionFromItsPassword() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        let opened = try #require(await management.logIn(name: first.name, password: first.oneTimePassword).value)
        for number in 0..<5 {
            _ = try await management.logIn(name: first.name, password: "guess", from: "198.51.100.\(number)")
        }
        func change(from old: String) async throws -> PasswordRefusal? {
            try await management.changePassword(
                token: opened.token, session: opened.session, old: old, new: "a long new password")
        }
        for _ in 0..<5 { #expect(try await change(from: "wrong") == .wrongOldPassword) }
        #expect(try await change(from: first.oneTimePassword) == .throttled(seconds: 1))
        fixture.advance(1)
        #expect(try await change(from: first.oneTimePassword) == nil)
    }

    /// A14: strangers who keep all of their checks busy leave those of who is known free.
    ///
    /// A browser is known here, so that the test does not depend on what is remembered of addresses.
    @Test func checksOfStrangersLeaveOthersFree() async throws {
        let guardian = LogInGuard()
        let gate = Gate()
        let known = { (now: TimeInterval) async throws in
            try await guardian.attempt(name: "admin", address: nil, known: "a browser", now: now) { 1 as Int? }
        }
        #expect(try await known(0).value == .some(.some(1)))
        try await withThrowingTaskGroup(of: Void.self) { (group) async throws in
            for number in 0..<4 {
                group.addTask {
                    func isAtWork() async throws -> Bool {
                        try await guardian.attempt(name: "n\(number)", address: "a\(number)", now: 0) { () -> Int? in
                            while !gate.isOpen.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(2)) }
                            return nil
                        }.refusal == nil
                    }
                    while try await !isAtWork() { await Task.yield() }
                }
            }
            // They are at work once a fifth is turned away.
            while try await guardian.attempt(name: UUID().uuidString, address: nil, now: 0, { nil as Int? }).refusal
                == nil
            {
                await Task.yield()
            }
            #expect(try await known(1).value == .some(.some(1)))
            gate.isOpen.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
    }

    /// A14: a clock that is set back a day keeps nobody waiting for a day.
    @Test func waitsDoNotFollowTheSystemsClock() async throws {
        let clock = Mutex(Fixture.start)
        let fixture = try Fixture()
        let (store, _) = try fixture.besideServer()
        defer { try? store.close() }
        var settings = Management.Settings(baseURL: "https://mdm.example.com", organization: "Example")
        settings.passwordCost = Argon2id.Cost(memoryKiB: 8, passes: 1, lanes: 1)
        let seconds = Mutex<TimeInterval>(0)
        let key = MasterKeys.newKeyText()
        let management = Management(
            store: store, settings: settings, masterKeys: try MasterKeyRing { try MasterKeys(parsing: key) },
            now: { clock.withLock { $0 } }, uptime: { seconds.withLock { $0 } })
        for _ in 0..<5 { _ = try await management.logIn(name: "nobody", password: "guess") }
        clock.withLock { $0 -= 86_400 }
        seconds.withLock { $0 += 1 }
        #expect(try await management.logIn(name: "nobody", password: "guess").refusal == .wrongNameOrPassword)
    }
}

/// Lets those who wait go on.
private final class Gate: Sendable {
    let isOpen = Atomic(false)
}
