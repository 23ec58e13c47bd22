import Foundation
import Synchronization

/// Notes when lines arrive on standard input.
final class LineArrivals: Sendable {
    private enum State {
        case idle
        case expecting(marker: String)
        case waiting(marker: String, CheckedContinuation<ContinuousClock.Instant?, Never>)
        case arrived(ContinuousClock.Instant)
    }

    private let state = Mutex(State.idle)

    /// Begins to read, on a thread of its own: the time of a line must not depend on who else is busy.
    init() {
        Thread.detachNewThread { [self] in
            while let line = readLine(strippingNewline: true) { heard(line, at: .now) }
        }
    }

    /// From now on the first line with `marker` counts.
    func expect(_ marker: String) {
        state.withLock { $0 = .expecting(marker: marker) }
    }

    /// The moment of the expected line, or nothing when the time is over.
    func arrival(within span: Duration) async -> ContinuousClock.Instant? {
        let timeout = Task {
            try await Task.sleep(for: span)
            end(with: nil)
        }
        defer { timeout.cancel() }
        return await withCheckedContinuation { continuation in
            let arrived = state.withLock { state -> ContinuousClock.Instant? in
                switch state {
                case .arrived(let moment):
                    state = .idle
                    return moment
                case .expecting(let marker), .waiting(let marker, _):
                    state = .waiting(marker: marker, continuation)
                    return nil
                case .idle:
                    preconditionFailure("nothing is expected")
                }
            }
            if let arrived { continuation.resume(returning: arrived) }
        }
    }

    private func heard(_ line: String, at moment: ContinuousClock.Instant) {
        let isExpected = state.withLock { state in
            switch state {
            case .expecting(let marker):
                if line.contains(marker) { state = .arrived(moment) }
                return false
            case .waiting(let marker, _): return line.contains(marker)
            case .idle, .arrived: return false
            }
        }
        if isExpected { end(with: moment) }
    }

    private func end(with moment: ContinuousClock.Instant?) {
        let waiting = state.withLock { state -> CheckedContinuation<ContinuousClock.Instant?, Never>? in
            guard case .waiting(_, let continuation) = state else { return nil }
            state = .idle
            return continuation
        }
        waiting?.resume(returning: moment)
    }
}
