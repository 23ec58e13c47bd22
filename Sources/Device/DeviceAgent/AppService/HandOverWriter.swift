import Foundation
import Logging
import Synchronization

/// Has written down which configurations came to apps that need not say so, away from the thread that serves the apps.
///
/// What the disk does not take is tried again until it takes it, or until the app has a newer version: the app does not
/// fetch the same version again, so that nothing else would bring the server's word of it up to date.
final class HandOverWriter: Sendable {
    private struct State {
        /// In the order in which they came.
        var waiting: [ConfigurationHandOver] = []
        /// Whether the disk has refused one since it last took all.
        var isFailing = false
        var isRetryDue = false
    }

    private let pause: DispatchTimeInterval
    private let log: Logger
    private let write: @Sendable (ConfigurationHandOver) throws -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apps' hand-overs")

    /// Writes by `write`, which returns once the note is on the disk, and again after a pause if that fails.
    init(
        retryingAfter pause: DispatchTimeInterval, log: Logger,
        write: @escaping @Sendable (ConfigurationHandOver) throws -> Void
    ) {
        (self.pause, self.log, self.write) = (pause, log, write)
    }

    /// Takes a note; while the disk takes none, in the place of those of the app's older versions.
    func take(_ handOver: ConfigurationHandOver) {
        state.withLock { state in
            if state.isFailing {
                state.waiting.removeAll { known in
                    known.bundleIdentifier == handOver.bundleIdentifier
                        && (known.version != handOver.version || known.way == handOver.way)
                }
            }
            state.waiting.append(handOver)
        }
        queue.async { [self] in writeWaiting() }
    }

    /// Tries a last time to write what waits.
    func finish() {
        queue.sync { writeWaiting() }
        state.withLock { $0.waiting = [] }
    }

    private func writeWaiting() {
        while let handOver = state.withLock({ $0.waiting.first }) {
            do {
                try write(handOver)
                state.withLock { state in state.waiting.removeAll { $0 == handOver } }
            } catch {
                return retryLater(error)
            }
        }
        state.withLock { $0.isFailing = false }
    }

    private func retryLater(_ error: any Error) {
        let (isNews, isDue) = state.withLock { state in
            defer { (state.isFailing, state.isRetryDue) = (true, true) }
            return (!state.isFailing, state.isRetryDue)
        }
        if isNews {
            log.error(
                "which configuration an app was handed could not be kept; the agent tries again",
                metadata: ["why": "\(error)"])
        }
        guard !isDue else { return }
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isRetryDue = false }
            writeWaiting()
        }
    }
}
