import CTPM
import Foundation
import Synchronization

/// A TPM 2.0, which one thread asks; every wait for it is limited.
///
/// The connection is made when it is first needed and again after it was lost. Nothing is done in software instead.
package final class TPM: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let place: String
    let timeout: Duration
    private let state = Mutex(State())
    private let something = DispatchSemaphore(value: 0)

    private static let mostJobs = 256
    /// How long the connection, and with it the storage root in the chip, is kept without anything to do.
    private static let idleSeconds = 2

    /// A chip at a place as libtss2 names it, such as `device:/dev/tpmrm0` or `swtpm:path=/run/tpm.sock`.
    ///
    /// A minute is enough for the slowest chip to make an RSA key.
    package init(_ place: String, timeout: Duration = .seconds(60)) {
        self.place = place
        self.timeout = timeout
    }

    /// Whether the library that leads to chips is installed.
    package static var hasLibrary: Bool { c_tcti_has_library() != 0 }

    /// Does `work` on the chip's thread.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (TPMConnection) throws(TPMFailure) -> Result
    ) async throws(TPMFailure) -> Result {
        let outcome = Outcome<Result>()
        guard enqueue(Self.job(work, outcome)) else { throw .busy }
        let timer = Task { [timeout] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            outcome.settle(.failure(.timeout))
        }
        defer { timer.cancel() }
        return try await outcome.value().get()
    }

    /// The same, while the caller's own thread waits: for callers that wait for the disk, too.
    func performWaiting<Result: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable (TPMConnection) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        let outcome = Outcome<Result>()
        guard enqueue(Self.job(work, outcome)) else { throw .busy }
        return try outcome.wait(limit).get()
    }

    private static func job<Result: Sendable>(
        _ work: @escaping @Sendable (TPMConnection) throws(TPMFailure) -> Result, _ outcome: Outcome<Result>
    ) -> Job {
        Job { connection throws(TPMFailure) in
            guard outcome.isAwaited else { return }
            let result: Result
            do throws(TPMFailure) {
                let connection = try connection()
                // Release the connection before the result is out: a waiting caller may end the process next.
                defer { connection.letGo() }
                result = try work(connection)
            } catch {
                outcome.settle(.failure(error))
                throw error
            }
            outcome.settle(.success(result))
        }
    }

    private func enqueue(_ job: Job) -> Bool {
        let (taken, starts) = state.withLock { state in
            guard state.jobs.count < Self.mostJobs else { return (false, false) }
            state.jobs.append(job)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if starts { start() } else if taken { something.signal() }
        return taken
    }

    // The thread lives while there is something to do, and a while longer: the connection is then let go.
    private func start() {
        let thread = Thread { [self] in serve() }
        thread.name = "tpm"
        thread.start()
    }

    private func serve() {
        var connection: TPMConnection?
        while let job = next() {
            do throws(TPMFailure) {
                try job.work { () throws(TPMFailure) in
                    if let connection { return connection }
                    let new = try TPMConnection(place)
                    connection = new
                    return new
                }
            } catch .connectionLost, .malformed {
                connection = nil
            } catch {}
        }
    }

    private func next() -> Job? {
        while true {
            if let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) { return job }
            if something.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .success { continue }
            let isDone = state.withLock { state in
                state.isRunning = !state.jobs.isEmpty
                return !state.isRunning
            }
            if isDone { return nil }
        }
    }
}
