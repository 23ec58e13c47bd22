import Dispatch
package import Foundation
import Synchronization

/// Tells the app that something changed, once for several changes in a row.
///
/// Apps that come from iOS expect to be told on the main thread. Observers without a queue run on the thread that tells
/// them, so the main queue is offered it first; where it does not take it at once, as in a program that serves no main
/// queue, the notice comes on a thread of its own.
///
/// As an operation, not as a block of its dispatch queue: where `main` is asynchronous no thread is the main one, and an
/// observer with `queue: .main` would then be waited for on the very queue that is to run it.
package final class ChangeNotice: Sendable {
    /// How long the main queue may take to begin.
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private struct State {
        var isDue = false
        /// Whether the thread was made: it comes with the first notice.
        var hasBegun = false
        /// Whether something of ours still lies in the main queue.
        var isOffered = false
    }

    private let notify: @Sendable () -> Void
    private let main: OperationQueue
    private let state = Mutex(State())
    private let woken = DispatchSemaphore(value: 0)

    /// Prepares to call `notify` on `main`, or on a thread of its own.
    package init(main: OperationQueue = .main, notify: @escaping @Sendable () -> Void) {
        self.main = main
        self.notify = notify
    }

    /// Something changed, and can be read.
    package func announce() {
        let (isNew, begins) = state.withLock { state in
            defer { (state.isDue, state.hasBegun) = (true, true) }
            return (!state.isDue, !state.hasBegun)
        }
        if begins {
            let thread = Thread { [self] in tell() }
            thread.name = "managed-notice"
            thread.start()
        }
        if isNew { woken.signal() }
    }

    private func tell() {
        while true {
            woken.wait()
            // What changes from here on is told again.
            state.withLock { $0.isDue = false }
            if !offer() { notify() }
        }
    }

    // Whether the main queue told it, or tells it now.
    private func offer() -> Bool {
        let isFree = state.withLock { state in
            defer { state.isOffered = true }
            return !state.isOffered
        }
        guard isFree else { return false }
        let claim = Claim()
        main.addOperation { [self] in
            state.withLock { $0.isOffered = false }
            if claim.take() {
                notify()
                claim.told.signal()
            }
        }
        if claim.told.wait(timeout: .now() + Self.patience) == .success { return true }
        guard claim.take() else {
            // It is being told: what comes next is told after it.
            claim.told.wait()
            return true
        }
        return false
    }

    /// The right to tell it once.
    private final class Claim: Sendable {
        let told = DispatchSemaphore(value: 0)
        private let isTaken = Mutex(false)

        func take() -> Bool {
            isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
        }
    }
}
