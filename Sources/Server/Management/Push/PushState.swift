import Synchronization

/// The push credential that this server uses at present, opened once and kept in memory.
package final class PushState: Sendable {
    private struct State {
        var setup: PushSetup?
        /// Ends the pause of the sender, which is the only one that waits.
        var waiter: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())
    /// Whom the push service has to wake.
    package let queue = PushQueue()

    package init() {}

    package var setup: PushSetup? { state.withLock { $0.setup } }

    func set(_ setup: PushSetup?) {
        let waiter = state.withLock { state in
            state.setup = setup
            return state.waiter.take()
        }
        queue.isActive = setup != nil
        waiter?.finish()
    }

    /// Waits until an administrator uploads or removes a credential, if `setup` is still the present one.
    package func change(from setup: PushSetup) async {
        let (changes, waiter) = AsyncStream.makeStream(of: Void.self)
        let waits = state.withLock { state in
            guard state.setup == setup else { return false }
            state.waiter = waiter
            return true
        }
        guard waits else { return }
        for await _ in changes {}
    }
}
