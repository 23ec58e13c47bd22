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
        /// Which operation of the store it is.
        let name: StaticString
        /// Runs in the open transaction and answers with what to tell the caller after the commit, and what went wrong.
        let run: @Sendable (Database) -> (tell: Completion, failure: (any Error)?)
        let fail: @Sendable (any Error) -> Void
    }

    /// Tells the caller: nothing for "committed", or why the batch is lost.
    private typealias Completion = @Sendable ((any Error)?) -> Void

    private struct State {
        var jobs: [Job] = []
        /// What the writing thread has taken and not finished.
        var taken: ArraySlice<Job> = []
        var isClosed = false

        var waiting: Int { jobs.count + taken.count }
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let pool: DatabasePool
    private let disk: DiskWatch
    /// Looks at what was committed, before anybody is answered.
    private let committed: @Sendable (Database) -> Void

    init(pool: DatabasePool, disk: DiskWatch, committed: @escaping @Sendable (Database) -> Void = { _ in }) {
        self.pool = pool
        self.disk = disk
        self.committed = committed
    }

    /// Operations that were accepted and have not been answered.
    var waiting: Int { state.withLock(\.waiting) }

    /// The names of the operations that were accepted and have not been answered.
    var waitingNames: [String] { state.withLock { ($0.taken + $0.jobs).map(\.name.description) } }

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
    func write<Value: Sendable>(
        named name: StaticString = #function, _ operation: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                name: name,
                run: { [disk] db in
                    let result = Self.inSavepoint(db, operation).mapError { disk.judge($0, on: db) }
                    let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
                    let tell: Completion = { lost in continuation.resume(with: lost.map { .failure($0) } ?? result) }
                    return (tell, failure)
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
                let (isIdle, isClosed) = state.withLock { state in
                    (state.taken, state.jobs) = (state.jobs[...], [])
                    return (state.taken.isEmpty, state.isClosed)
                }
                if isIdle {
                    if isClosed { return }
                    break
                }
                while case let batch = state.withLock({ $0.taken.prefix(Self.batch) }), !batch.isEmpty {
                    run(Array(batch))
                    // An empty slice would keep what its operations hold.
                    state.withLock { $0.taken = $0.taken.count > batch.count ? $0.taken.dropFirst(batch.count) : [] }
                }
            }
        }
    }

    private func run(_ batch: [Job]) {
        var completions: [Completion] = []
        var lost: (any Error)? = disk.refusalOfMovedFiles()
        pool.writeWithoutTransaction { db in
            guard lost == nil else { return }
            do {
                try db.beginTransaction(.immediate)
                for job in batch {
                    let (tell, failure) = job.run(db)
                    completions.append(tell)
                    // A full disk ends the whole transaction behind our back, and with it all operations before.
                    guard db.isInsideTransaction else {
                        if let refusal = failure as? StoreDiskRefusal { throw refusal }
                        throw TransactionLost()
                    }
                }
                try db.commit()
                committed(db)
            } catch {
                lost = disk.judge(error, on: db)
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
