import Dispatch
import Foundation
import GRDB
import Management
import Synchronization

/// Writes many operations with one sync: each has a savepoint of its own, all of a batch share one commit, and nobody is
/// answered before that commit is on disk.
///
/// One thread of its own writes, so that no thread of the caller waits for the disk.
final class GroupCommit: Sendable {
    /// More waiting operations than this cannot be served in good time: about a tenth of a second's work.
    static let capacity = 10_000
    /// Larger batches make the first one wait longer and save little.
    static let batch = 128

    private struct Job: Sendable {
        /// Runs in the open transaction and answers with what to tell the caller after the commit.
        let run: @Sendable (Database) -> Completion
        let fail: @Sendable (any Error) -> Void
    }

    /// Tells the caller: nothing for "committed", or why the batch is lost.
    private typealias Completion = @Sendable ((any Error)?) -> Void

    private struct State {
        var jobs: [Job] = []
        /// Those in `jobs` and those taken but not finished.
        var waiting = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let pool: DatabasePool
    /// Looks at what was committed, before anybody is answered.
    private let committed: @Sendable (Database) -> Void

    init(pool: DatabasePool, committed: @escaping @Sendable (Database) -> Void = { _ in }) {
        self.pool = pool
        self.committed = committed
    }

    /// Operations that were accepted and have not been answered.
    var waiting: Int { state.withLock(\.waiting) }

    func start() {
        let thread = Thread { [self] in
            loop()
            ended.signal()
        }
        thread.name = "martlet-writer"
        thread.start()
    }

    /// Ends after what is waiting has been written.
    func close() {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        wake.signal()
        ended.wait()
    }

    /// Runs an operation; the answer comes when it is on disk.
    func write<Value: Sendable>(_ operation: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                run: { db in
                    let result = Self.inSavepoint(db, operation)
                    return { lost in continuation.resume(with: lost.map { .failure($0) } ?? result) }
                },
                fail: { continuation.resume(throwing: $0) })
            enqueue(job)
        }
    }

    private func enqueue(_ job: Job) {
        enum Admission {
            case first
            case behindOthers
            case refused(any Error)
        }
        let admission: Admission = state.withLock { state in
            if state.isClosed { return .refused(StoreClosed()) }
            if state.waiting >= Self.capacity { return .refused(StoreOverload()) }
            state.jobs.append(job)
            state.waiting += 1
            return state.jobs.count == 1 ? .first : .behindOthers
        }
        switch admission {
        case .first: wake.signal()
        case .behindOthers: break
        case .refused(let error): job.fail(error)
        }
    }

    // MARK: The writing thread

    private func loop() {
        while true {
            wake.wait()
            while true {
                let (jobs, isClosed) = state.withLock { state in
                    let jobs = state.jobs
                    state.jobs = []
                    return (jobs, state.isClosed)
                }
                if jobs.isEmpty {
                    if isClosed { return }
                    break
                }
                for start in stride(from: 0, to: jobs.count, by: Self.batch) {
                    let batch = Array(jobs[start..<min(start + Self.batch, jobs.count)])
                    run(batch)
                    state.withLock { $0.waiting -= batch.count }
                }
            }
        }
    }

    private func run(_ batch: [Job]) {
        var completions: [Completion] = []
        var lost: (any Error)?
        pool.writeWithoutTransaction { db in
            do {
                try db.beginTransaction(.immediate)
                for job in batch {
                    completions.append(job.run(db))
                    // A full disk ends the whole transaction behind our back, and with it all operations before.
                    guard db.isInsideTransaction else { throw TransactionLost() }
                }
                try db.commit()
                committed(db)
            } catch {
                lost = error
                if db.isInsideTransaction { try? db.rollback() }
            }
        }
        for completion in completions { completion(lost) }
        if let lost {
            for job in batch[completions.count...] { job.fail(lost) }
        }
    }

    private static func inSavepoint<Value>(
        _ db: Database, _ operation: (Database) throws -> Value
    ) -> Result<Value, any Error> {
        do {
            var value: Value?
            try db.inSavepoint {
                value = try operation(db)
                return .commit
            }
            guard let value else { throw TransactionLost() }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}

/// SQLite gave up a transaction with operations in it; none of them happened.
struct TransactionLost: Error {}

/// The store is being closed.
struct StoreClosed: Error {}
