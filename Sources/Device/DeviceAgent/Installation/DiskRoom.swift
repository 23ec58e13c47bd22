import Dispatch
import Synchronization

/// Where work on files is done that may keep a thread waiting: one piece after the other, and nobody else's thread.
struct DiskRoom: Sendable {
    private let queue = DispatchQueue(label: "installation")

    /// Does the work and returns what it returns; a task that is canceled does not wait for its end.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let once = Once<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                once.wait(waiting)
                queue.async { once.answer(Result { try work() }) }
            }
        } onCancel: {
            once.answer(.failure(CancellationError()))
        }
    }

    /// The first answer counts, even one that comes before anybody waits for it.
    private final class Once<Value: Sendable>: Sendable {
        private enum State: Sendable {
            case nothing
            case waiting(CheckedContinuation<Value, any Error>)
            case early(Result<Value, any Error>)
            case answered
        }

        private let state = Mutex(State.nothing)

        func wait(_ waiting: CheckedContinuation<Value, any Error>) {
            let early = state.withLock { state -> Result<Value, any Error>? in
                if case .early(let result) = state {
                    state = .answered
                    return result
                }
                state = .waiting(waiting)
                return nil
            }
            if let early { waiting.resume(with: early) }
        }

        func answer(_ result: Result<Value, any Error>) {
            let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
                switch state {
                case .nothing: state = .early(result)
                case .waiting(let waiting):
                    state = .answered
                    return waiting
                case .early, .answered: break
                }
                return nil
            }
            waiting?.resume(with: result)
        }
    }
}
