import Foundation
import Synchronization

/// When devices were last seen, or API tokens used: known at once, and written at most every five minutes for each.
///
/// A server that dies forgets at most those five minutes; one that stops writes them down.
final class LastSeen: Sendable {
    /// The seconds between two writings of one key.
    static let interval: TimeInterval = 300
    /// The same where a device only listens: its moment changes with each heartbeat.
    static let listeningInterval: TimeInterval = 3_600
    private static let capacity = 1_000_000
    /// Written at a stop: as many as fit well into the second a stop may take.
    private static let atStop = 20_000

    private struct Times {
        var latest: Date
        var written: Date?
    }

    private struct State {
        var times: [String: Times] = [:]
        /// Those whose last writing is long enough ago.
        var due: Set<String> = []
    }

    private let state = Mutex(State())

    func note(_ key: String, now: Date, writtenEvery interval: TimeInterval = LastSeen.interval) {
        state.withLock { state in
            if state.times[key] == nil, state.times.count >= Self.capacity { state.times = [:] }
            let written = state.times[key]?.written
            state.times[key] = Times(latest: now, written: written)
            // What a clock that was ahead has written down is due at once when it is back.
            if let written, (0..<interval).contains(now.timeIntervalSince(written)) { return }
            state.due.insert(key)
        }
    }

    /// The moment a device was last seen by this process, in whole seconds as stores keep it.
    func latest(_ key: String) -> Date? {
        state.withLock { $0.times[key]?.latest }.map {
            Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down))
        }
    }

    /// What is due to be written; the caller writes it.
    func drain() -> [String: Date] {
        state.withLock { state in
            defer { state.due = [] }
            return Self.take(state.due, from: &state)
        }
    }

    /// What is not written yet, due or not.
    func drainAtStop() -> [String: Date] {
        state.withLock { state in
            let unwritten = state.times.lazy.filter { $0.value.written != $0.value.latest }.map(\.key)
            defer { state.due = [] }
            return Self.take(state.due.union(unwritten.prefix(Self.atStop)), from: &state)
        }
    }

    private static func take(_ keys: Set<String>, from state: inout State) -> [String: Date] {
        var taken: [String: Date] = [:]
        for key in keys {
            guard let latest = state.times[key]?.latest else { continue }
            taken[key] = latest
            state.times[key]?.written = latest
        }
        return taken
    }
}
