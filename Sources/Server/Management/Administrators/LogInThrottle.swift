import Foundation
import Synchronization

/// Slows down guessing: after some failures for a key, each further one doubles the wait, to five minutes at most.
///
/// Memory is bounded: beyond `capacity` keys the oldest failure is forgotten.
final class LogInThrottle: Sendable {
    private struct Failures {
        var count: Int
        /// On a clock that nobody sets.
        var last: TimeInterval
    }

    private let free: Int
    private let capacity: Int
    private let failures = Mutex<[String: Failures]>([:])

    /// `free` failures cost nothing: people mistype.
    init(free: Int, capacity: Int = 10_000) {
        self.free = free
        self.capacity = capacity
    }

    /// Seconds that must still pass before the next attempt for this key; the attempt counts as failed until
    /// `succeeded` or `forgive` is called, so that parallel guesses do not pass together.
    func begin(_ key: String, now: TimeInterval) -> Int? {
        failures.withLock { failures in
            if let earlier = failures[key] {
                let wait = wait(after: earlier.count) - (now - earlier.last)
                if wait > 0 { return Int(wait.rounded(.up)) }
            } else if failures.count >= capacity,
                let oldest = failures.min(by: { $0.value.last < $1.value.last })
            {
                failures[oldest.key] = nil
            }
            let count = failures[key].map { now - $0.last > 3_600 ? 0 : $0.count } ?? 0
            failures[key] = Failures(count: count + 1, last: now)
            return nil
        }
    }

    /// Forgets every failure of the key.
    func succeeded(_ key: String) {
        failures.withLock { $0[key] = nil }
    }

    /// Takes back one attempt: earlier failures count on.
    func forgive(_ key: String) {
        failures.withLock { failures in
            guard let count = failures[key]?.count else { return }
            if count > 1 { failures[key]?.count = count - 1 } else { failures[key] = nil }
        }
    }

    private func wait(after count: Int) -> TimeInterval {
        count < free ? 0 : min(300, pow(2, Double(min(count - free, 15))))
    }
}

/// What stands in the way of guessing administrators' passwords, and of making the server busy with it.
///
/// By name, because guesses at one password come from many places; by address, because guesses from one place try many
/// names; and only a few at once, because each check keeps a core busy and takes 19 MiB.
///
/// Guesses of strangers delay strangers. Who signed in before with this browser or from this address has a count and
/// checks of their own, which nobody else adds to: nobody locks an administrator out by guessing at their name.
final class LogInGuard: Sendable {
    /// Enough for people who log in at the same moment.
    private static let checksAtOnce = 4

    private let names = LogInThrottle(free: 5)
    /// Several administrators may share an address.
    private let addresses = LogInThrottle(free: 20)
    /// Of those who are known, each by itself.
    private let known = LogInThrottle(free: 5)
    private let places = KnownPlaces()
    private let checks = Atomic<Int>(0)
    private let knownChecks = Atomic<Int>(0)

    /// Runs a check of a password, which answers nothing when it fails; or says how many seconds to wait.
    ///
    /// `known` names what proves that this is no stranger, such as a browser that this name signed in with. `now` counts
    /// seconds on a clock that nobody sets.
    func attempt<Value: Sendable>(
        name: String, address: String?, known: String? = nil, now: TimeInterval, _ check: () async throws -> Value?
    ) async throws -> Outcome<Value?, LogInRefusal> {
        let place = address.map { KnownPlaces.Place(name: name, address: $0) }
        let key = known.map { "known \($0)" } ?? place.flatMap { places.holds($0) ? "\(name) at \($0.address)" : nil }
        let outcome =
            if let key {
                try await attempt(knownAs: key, now: now, check)
            } else {
                try await attempt(byStranger: name, address: address, now: now, check)
            }
        if let place, case .accepted(.some) = outcome { places.remember(place) }
        return outcome
    }

    private func attempt<Value: Sendable>(
        knownAs key: String, now: TimeInterval, _ check: () async throws -> Value?
    ) async throws -> Outcome<Value?, LogInRefusal> {
        try await Self.oneOfFew(knownChecks) {
            if let seconds = known.begin(key, now: now) { return .refused(.throttled(seconds: seconds)) }
            guard let value = try await check() else { return .accepted(nil) }
            known.succeeded(key)
            return .accepted(value)
        }
    }

    private func attempt<Value: Sendable>(
        byStranger name: String, address: String?, now: TimeInterval, _ check: () async throws -> Value?
    ) async throws -> Outcome<Value?, LogInRefusal> {
        try await Self.oneOfFew(checks) {
            if let address, let seconds = addresses.begin(address, now: now) {
                return .refused(.throttled(seconds: seconds))
            }
            if let seconds = names.begin(name, now: now) {
                // A client that must wait because of others' guesses at the name has not guessed itself.
                if let address { addresses.forgive(address) }
                return .refused(.throttled(seconds: seconds))
            }
            guard let value = try await check() else { return .accepted(nil) }
            names.succeeded(name)
            if let address { addresses.forgive(address) }
            return .accepted(value)
        }
    }

    private static func oneOfFew<Value: Sendable>(
        _ count: borrowing Atomic<Int>, _ check: () async throws -> Outcome<Value?, LogInRefusal>
    ) async throws -> Outcome<Value?, LogInRefusal> {
        guard count.add(1, ordering: .relaxed).newValue <= checksAtOnce else {
            count.subtract(1, ordering: .relaxed)
            return .refused(.throttled(seconds: 1))
        }
        defer { count.subtract(1, ordering: .relaxed) }
        return try await check()
    }
}

/// From which addresses whom was signed in, as long as the server runs.
///
/// Bounded: beyond `capacity` places the one that was used longest ago is forgotten.
final class KnownPlaces: Sendable {
    struct Place: Hashable {
        let name: String
        let address: String
    }

    private struct State {
        var used: [Place: UInt64] = [:]
        var turn: UInt64 = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = 10_000) { self.capacity = capacity }

    func holds(_ place: Place) -> Bool { state.withLock { $0.used[place] != nil } }

    func remember(_ place: Place) {
        state.withLock { state in
            state.turn += 1
            if state.used[place] == nil, state.used.count >= capacity,
                let oldest = state.used.min(by: { $0.value < $1.value })
            {
                state.used[oldest.key] = nil
            }
            state.used[place] = state.turn
        }
    }
}
