import ArgumentParser
import CoreFoundation
import Foundation
import Management
import Synchronization

/// Ends the process once it stands still for too long: a system call that waits for a disk cannot be ended otherwise.
///
/// It looks from a thread of its own, because the threads that run tasks may all wait for that disk.
final class StandstillWatch: Sendable {
    /// In seconds.
    private static let pause: TimeInterval = 0.25

    private let words: String
    private let isOver = Mutex(false)

    private init(_ words: String) { self.words = words }

    /// Begins to watch this process.
    ///
    /// - Parameters:
    ///   - limit: how long it may stand still.
    ///   - work: what stands still, as the error names it.
    ///   - consequence: what there is, or is not, once it was given up.
    /// - Returns: the watch, to be ended once the work is done.
    static func begin(_ limit: Duration, _ work: String, consequence: String) -> StandstillWatch {
        let watch = StandstillWatch(
            """
            \nmartlet-server: \(work) came no further for \(limit.components.seconds) seconds: a disk or a network file system does \
            not answer. \(consequence) Look at the disk, or allow more with --stall-limit.\n
            """)
        Thread.detachNewThread {
            var standstill = Standstill(limit: limit, work: Self.workOfOtherThreads(), now: .now)
            while !watch.isOver.withLock({ $0 }) {
                Thread.sleep(forTimeInterval: Self.pause)
                if standstill.look(work: Self.workOfOtherThreads(), now: .now) { watch.giveUp() }
            }
        }
        return watch
    }

    /// What was to be done is done: from here on the process may wait for the reader of its output.
    func end() { isOver.withLock { $0 = true } }

    private func giveUp() {
        guard !isOver.withLock({ $0 }) else { return }
        // The error's reader may not answer either.
        Thread.detachNewThread { [words] in
            try? FileHandle.standardError.write(contentsOf: Data(words.utf8))
            _exit(1)
        }
        Thread.sleep(forTimeInterval: 2)
        _exit(1)
    }

    /// The processor's time that the process has used, but for the thread that asks.
    private static func workOfOtherThreads() -> Duration {
        time(CLOCK_PROCESS_CPUTIME_ID) - time(CLOCK_THREAD_CPUTIME_ID)
    }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return .zero }
        return Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// How long `check` and `restore` wait for a disk.
struct StandstillOptions: ParsableArguments {
    static let standard: Duration = .seconds(300)

    @Option(
        help: "How long it may make no progress, because a disk does not answer: a number with s, m, h or d (5m).",
        transform: LifetimeText.option)
    var stallLimit: LifetimeText?

    func validate() throws {
        guard stallLimit.map({ $0.seconds >= 1 }) ?? true else {
            throw ValidationError("A limit of time is 1s or more.")
        }
    }

    var limit: Duration { stallLimit.map { Duration.seconds($0.seconds) } ?? Self.standard }
}
