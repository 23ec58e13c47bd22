import Foundation
import Synchronization

/// When jobs that may do only so much a second go on.
///
/// In memory: another run of the server may be one part ahead of the pace, once.
final class JobPace: Sendable {
    /// Moments on a clock that nobody sets, by the jobs' IDs.
    private let due = Mutex<[String: TimeInterval]>([:])

    /// Seconds until a job may go on; nothing where it may now.
    func wait(for job: String, at now: TimeInterval) -> TimeInterval? {
        due.withLock { due in
            guard let moment = due[job], moment > now else { return nil }
            return moment - now
        }
    }

    /// Has a job go on no sooner than at a moment.
    func delay(_ job: String, until moment: TimeInterval) {
        due.withLock { $0[job] = moment }
    }

    /// Forgets the jobs that have ended.
    func keep(only jobs: Set<String>) {
        due.withLock { due in due = due.filter { jobs.contains($0.key) } }
    }
}
