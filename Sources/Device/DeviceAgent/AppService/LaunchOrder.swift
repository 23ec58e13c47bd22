import Dispatch
import Synchronization

/// An app that another thread has the service's thread launch.
///
/// That thread also takes the app's connections. Launched elsewhere, an app could connect before the service knows its
/// process, and would be refused as a stranger.
final class LaunchOrder: Sendable {
    private let work: @Sendable () throws -> AppLauncher.Launched
    private let outcome = Mutex<Result<Int32, any Error>>(.failure(ControlMessages.cannotOpen))
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> AppLauncher.Launched) { self.work = work }

    /// Launches it, on the service's thread; nothing if it cannot be.
    func run() -> AppLauncher.Launched? {
        defer { done.signal() }
        let result = Result { try work() }
        outcome.withLock { $0 = result.map(\.record.process) }
        return try? result.get()
    }

    /// The process, when it was launched; fails where the service ended before that.
    func wait(atMost seconds: Int = 120) throws -> Int32 {
        _ = done.wait(timeout: .now() + .seconds(seconds))
        return try outcome.withLock { $0 }.get()
    }
}
