import CLinux
import Foundation
import Synchronization

/// Collects launched processes that do not become an app, also those that the system does not let end yet.
///
/// A killed process ends within a millisecond, unless it is in a call that no signal interrupts: while a disk or a server
/// of files does not answer. Such a process is not waited for, but looked at again and again.
final class LaunchReaper: Sendable {
    /// How long a process is waited for before others are served again.
    static let patience = Duration.milliseconds(100)
    private static let pause = DispatchTimeInterval.seconds(1)

    private let queue = DispatchQueue(label: "launches that failed")
    private let waiting = Mutex<Set<Int32>>([])

    /// The processes that have not ended yet.
    var left: Set<Int32> { waiting.withLock { $0 } }

    /// Kills a process that is to run nothing of the app's, and collects it.
    func end(_ launch: WaitingLaunch) {
        clinux_process_signal(launch.descriptor, SIGKILL)
        close(launch.descriptor)
        collect(launch.process)
    }

    /// Collects a process that is about to end; returns soon, whether it has ended or not.
    ///
    /// Until it is collected no other process has its number.
    func collect(_ process: Int32) {
        let deadline = ContinuousClock.now + Self.patience
        while clinux_child_collect(process) == 0 {
            guard ContinuousClock.now < deadline else { return look(again: process) }
            usleep(1_000)
        }
    }

    private func look(again process: Int32) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.insert(process) }
            return waiting.isEmpty
        }
        if isFirst { lookLater() }
    }

    private func lookLater() {
        queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
            let isDone = waiting.withLock { waiting in
                waiting = waiting.filter { clinux_child_collect($0) == 0 }
                return waiting.isEmpty
            }
            if !isDone { lookLater() }
        }
    }
}
