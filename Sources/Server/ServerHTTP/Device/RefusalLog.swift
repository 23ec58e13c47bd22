import Synchronization

/// Bounds how many refusals of devices are written to the log, since a refused device asks again.
///
/// What is left out is counted, and the next line that is written says how many they were.
final class RefusalLog: Sendable {
    /// The lines of one enrollment in a minute.
    static let ofOne = 10
    /// The lines of all enrollments in a minute; clients can name any enrollment.
    static let ofAll = 300

    private struct Minute {
        let begun: ContinuousClock.Instant
        var lines = 0
        var ofEach: [String: Int] = [:]
    }

    private struct State {
        var minute: Minute
        var leftOut = 0
    }

    private let state: Mutex<State>

    init(at now: ContinuousClock.Instant = .now) {
        state = Mutex(State(minute: Minute(begun: now)))
    }

    /// How many refusals were left out before this one, which is to be written; nothing if it is left out, too.
    func admit(_ enrollment: String?, at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { state in
            if now - state.minute.begun >= .seconds(60) { state.minute = Minute(begun: now) }
            let own = enrollment.map { state.minute.ofEach[$0] ?? 0 } ?? 0
            guard own < Self.ofOne, state.minute.lines < Self.ofAll else {
                state.leftOut += 1
                return nil
            }
            state.minute.lines += 1
            if let enrollment { state.minute.ofEach[enrollment] = own + 1 }
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }
}
