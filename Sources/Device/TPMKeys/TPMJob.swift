import Foundation
import Synchronization

/// Something to do on the chip's thread; it is given a way to get the connection.
struct Job: Sendable {
    let work: @Sendable (() throws(TPMFailure) -> TPMConnection) throws(TPMFailure) -> Void

    init(_ work: @escaping @Sendable (() throws(TPMFailure) -> TPMConnection) throws(TPMFailure) -> Void) {
        self.work = work
    }
}

/// A result that the first of several threads settles, and that one task awaits.
final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, TPMFailure>?
        var waiter: CheckedContinuation<Result<Value, TPMFailure>, Never>?
    }

    private let state = Mutex(State())
    private let settled = DispatchSemaphore(value: 0)

    /// Whether nobody settled it yet.
    var isAwaited: Bool { state.withLock { $0.result == nil } }

    func settle(_ result: Result<Value, TPMFailure>) {
        let waiter = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Result<Value, TPMFailure>, Never>? }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
        settled.signal()
    }

    /// The same for a thread that may stand still.
    func wait(_ limit: Duration) -> Result<Value, TPMFailure> {
        if settled.wait(timeout: .now() + limit / .seconds(1)) == .timedOut { settle(.failure(.timeout)) }
        return state.withLock { $0.result } ?? .failure(.timeout)
    }

    func value() async -> Result<Value, TPMFailure> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
