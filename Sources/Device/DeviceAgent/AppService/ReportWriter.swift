import Foundation
import Logging
import Synchronization

/// Has what apps' decoders say written down, away from the thread that serves the apps, and answers once it is.
///
/// Of each app the newest report counts, and it is written at once if none was for a second: an app that changes its mind
/// without end has one write a second, and those of all apps that are due are one.
final class ReportWriter: Sendable {
    typealias Answer = @Sendable (_ isKept: Bool) -> Void

    private struct Waiting {
        var report: ConfigurationReport
        var answers: [Answer]
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        /// From when on each app's next report may be written; nothing once that is over.
        var next: [String: DispatchTime] = [:]
    }

    private let pause: DispatchTimeInterval
    private let log: Logger
    private let write: @Sendable ([ConfigurationReport]) throws -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apps' reports")

    /// Writes by `write`, which returns once the reports are on the disk.
    init(
        every pause: DispatchTimeInterval, log: Logger,
        write: @escaping @Sendable ([ConfigurationReport]) throws -> Void
    ) {
        (self.pause, self.log, self.write) = (pause, log, write)
    }

    /// Takes a report in the place of an older one of the app that is not written yet; `answer` is called once for each.
    func take(_ report: ConfigurationReport, answer: @escaping Answer) {
        let key = report.key
        let due = state.withLock { state -> DispatchTime? in
            let before = state.waiting[key]
            state.waiting[key] = Waiting(report: report, answers: (before?.answers ?? []) + [answer])
            return before == nil ? state.next[key] ?? .now() : nil
        }
        if let due { queue.asyncAfter(deadline: due) { [self] in writeDue(by: max(due, .now())) } }
    }

    /// Writes everything that waits.
    func finish() { queue.sync { writeDue(by: .distantFuture) } }

    private func writeDue(by now: DispatchTime) {
        let due = state.withLock { state -> [Waiting] in
            state.next = state.next.filter { $0.value > now }
            let keys = state.waiting.keys.filter { state.next[$0] == nil }
            return keys.compactMap { key in
                state.next[key] = .now() + pause
                return state.waiting.removeValue(forKey: key)
            }
        }
        guard !due.isEmpty else { return }
        var isKept = true
        do {
            try write(due.map(\.report))
        } catch {
            isKept = false
            log.error("the reports of apps about their configurations could not be kept", metadata: ["why": "\(error)"])
        }
        for waiting in due { for answer in waiting.answers { answer(isKept) } }
    }
}
