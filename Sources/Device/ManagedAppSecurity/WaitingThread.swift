import Dispatch
import Synchronization

/// Runs an asynchronous function on the very thread that waits for it.
///
/// A caller may be on a thread of the runtime's pool. If it waited there for another thread of the pool, callers at the
/// same time could occupy all of them and wait forever.
final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    /// What the operation answers; nil when it waits for something else longer than this many seconds.
    static func run<Value: Sendable>(
        atMost seconds: Double, _ operation: @escaping @Sendable () async -> Value
    ) -> Value? {
        let (thread, answer) = (WaitingThread(), Answer<Value>())
        Task(executorPreference: thread) {
            let value = await operation()
            answer.value.withLock { $0 = value }
            // Given up, the task still needs its executor.
            withExtendedLifetime(thread) {}
        }
        let end = DispatchTime.now() + seconds
        while thread.arrived.wait(timeout: end) == .success {
            let job = thread.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            unsafe job?.runSynchronously(on: thread.asUnownedTaskExecutor())
            if let value = answer.value.withLock({ $0 }) { return value }
        }
        return nil
    }

    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
