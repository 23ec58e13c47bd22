import Foundation
import Synchronization

/// Slows down guessing: after some failures for a key, each further one doubles the wait, to five minutes at most.
///
/// Memory is bounded: beyond `capacity` keys the oldest failure is forgotten.
final class LogInThrottle: Sendable {
    private struct Failures {
        var count: Int
        var last: Date
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
    func begin(_ key: String, now: Date) -> Int? {
        failures.withLock { failures in
            if let earlier = failures[key] {
                let wait = wait(after: earlier.count) - now.timeIntervalSince(earlier.last)
                if wait > 0 { return Int(wait.rounded(.up)) }
            } else if failures.count >= capacity,
                let oldest = failures.min(by: { $0.value.last < $1.value.last })
            {
                failures[oldest.key] = nil
            }
            let count = failures[key].map { now.timeIntervalSince($0.last) > 3_600 ? 0 : $0.count } ?? 0
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
final class LogInGuard: Sendable {
    /// Enough for people who log in at the same moment.
    private static let checksAtOnce = 4

    private let names = LogInThrottle(free: 5)
    /// Several administrators may share an address.
    private let addresses = LogInThrottle(free: 20)
    private let checks = Atomic<Int>(0)

    /// Runs a check of a password, which answers nothing when it fails; or says how many seconds to wait.
    func attempt<Value: Sendable>(
        name: String, address: String?, now: Date, _ check: () async throws -> Value?
    ) async throws -> Outcome<Value?, LogInRefusal> {
        guard checks.add(1, ordering: .relaxed).newValue <= Self.checksAtOnce else {
            checks.subtract(1, ordering: .relaxed)
            return .refused(.throttled(seconds: 1))
        }
        defer { checks.subtract(1, ordering: .relaxed) }
        if let address, let seconds = addresses.begin(address, now: now) {
            return .refused(.throttled(seconds: seconds))
        }
        if let seconds = names.begin(name, now: now) {
            // Whoever waits for a name that others guess at has not guessed.
            if let address { addresses.forgive(address) }
            return .refused(.throttled(seconds: seconds))
        }
        guard let value = try await check() else { return .accepted(nil) }
        names.succeeded(name)
        if let address { addresses.forgive(address) }
        return .accepted(value)
    }
}
