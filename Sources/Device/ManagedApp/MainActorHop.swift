import Foundation
import Synchronization

/// Brings what another thread has made to a loop on the main actor, past the runtime's pool of threads.
///
/// A continuation resumes on that pool and goes to its actor from there. On Linux the pool, once used, is watched over by
/// a timer that wakes the process every second forever; an app whose loops all live on the main actor should sleep.
final class MainActorHop: TaskExecutor {
    private static let shared = MainActorHop()

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        let thread = Thread { [self] in
            while true {
                arrived.wait()
                let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                unsafe job?.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        thread.name = "managed-app-hop"
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    /// Waits for something on behalf of a reader; one that is not on the main actor uses the pool, as it does anyway.
    static func wait<Value: Sendable>(
        isolation actor: isolated (any Actor)?, _ operation: () async -> Value
    ) async -> Value {
        guard actor === MainActor.shared else { return await operation() }
        return await withTaskExecutorPreference(shared, isolation: actor) { await operation() }
    }
}
