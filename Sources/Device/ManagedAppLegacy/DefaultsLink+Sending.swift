import AppMessages
import Foundation
import ManagedApp
import Synchronization

/// The connection on which feedback is sent, one call after the other.
struct FeedbackLine: ~Copyable {
    var conversation: AgentConversation

    /// What an app's own thread has sent and nobody has heard the answer to.
    var sent: FeedbackErrand?

    init(conversation: consuming AgentConversation) {
        self.conversation = conversation
    }
}

/// Feedback is sent as it was last: what is superseded before its turn is never sent.
///
/// What lies in the socket outlives this process. So the thread that writes feedback also sends it, wherever that takes no
/// waiting; for the answers, and for what could not go at once, there is a thread.
extension DefaultsLink {
    private enum Ending {
        case done, failed, nothing
    }

    /// An agent writes feedback down before it answers.
    private static let patience = 5_000
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    /// Sends what there is to send if that takes no waiting, and leaves the rest to the thread.
    func sendAtOnce() {
        let isPaused = sending.withLock { $0.pausedUntil != nil }
        if !isPaused {
            _ = line.withLockIfAvailable { line in
                guard line.sent == nil, let errand = overlay.withLock({ $0.errand }),
                    line.conversation.sendAtOnce(errand.call)
                else { return }
                line.sent = errand
            }
        }
        woken.signal()
    }

    /// Has the thread send what there is, and waits for that at most for `limit`: the process ends.
    package func flush(within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        sending.withLock { $0.pausedUntil = nil }
        woken.signal()
        while ContinuousClock.now < deadline, sending.withLock({ $0.isConnected }),
            overlay.withLock({ $0.errand != nil })
        {
            usleep(1_000)
        }
        if overlay.withLock({ $0.isKept }) { writeRemoval() }
    }

    /// Waits until the agent has all that the app wrote before, also without an agent; false if that takes longer than
    /// `limit`.
    package func isKept(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        // Foundation comes first, because feedback is in the overlay before it leaves Foundation.
        while foundationsDictionary != nil || !overlay.withLock({ $0.isKept }) || !writeRemoval() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    /// What the thread does for as long as the process lives.
    func send() {
        var pause = Self.firstPause
        while true {
            takeOver()
            change { $0.look(at: .now) }
            switch isPaused ? Ending.nothing : exchange() {
            case .done:
                pause = Self.firstPause
            case .failed:
                let until = ContinuousClock.now + pause
                sending.withLock { $0.pausedUntil = until }
                pause = min(pause * 2, Self.longestPause)
            case .nothing:
                // Foundation's file loses its feedback only after the agent has it, so a crash in between loses
                // nothing.
                if overlay.withLock({ $0.isKept }) { writeRemoval() }
                rest()
            }
        }
    }

    private var isPaused: Bool {
        sending.withLock { sending in
            if let until = sending.pausedUntil, until <= .now { sending.pausedUntil = nil }
            return sending.pausedUntil != nil
        }
    }

    // Until there may be something to do.
    private func rest() {
        if overlay.withLock({ $0.isWaitingForGate }) {
            // An update that is open may never end.
            _ = woken.wait(timeout: .now() + .milliseconds(1))
        } else if let until = sending.withLock({ $0.pausedUntil }) {
            let milliseconds = (until - .now) / .milliseconds(1)
            _ = woken.wait(timeout: .now() + .milliseconds(max(1, Int(milliseconds) + 1)))
        } else {
            woken.wait()
        }
    }

    // Hears what is owed, or says what there is to say.
    private func exchange() -> Ending {
        line.withLock { line -> Ending in
            var asked = line.sent
            var result = Result<VarlinkReply<FeedbackLife>, AgentConversation.Ending>.failure(.gone)
            if asked != nil {
                line.sent = nil
                result = line.conversation.owedAnswer(milliseconds: Self.patience)
            }
            // Not asked yet, or the agent that was asked is gone: another one may be there.
            if case .failure(.gone) = result {
                asked = overlay.withLock { $0.errand }
                guard let errand = asked else { return .nothing }
                result = line.conversation.answer(to: errand.call, milliseconds: Self.patience)
            }
            guard let errand = asked, case .success(let reply) = result, case .success(let life) = reply.result else {
                return .failed
            }
            let isDone = overlay.withLock { $0.answered(errand, life: life.life) }
            if case .handOver = errand { sending.withLock { $0.looksIntoFoundation = true } }
            return isDone ? .done : .failed
        }
    }

    // Without an agent the app wrote its feedback to Foundation, from where it would come back at the next start.
    private func takeOver() {
        let isToLook = sending.withLock { sending in
            defer { sending.looksIntoFoundation = false }
            return sending.looksIntoFoundation
        }
        guard isToLook, way == .standardObject else { return }
        let place = overlay.withLock { (life: $0.life, sequence: $0.sequence) }
        guard let dictionary = foundationsDictionary, let value = try? ParsedDictionary(checking: dictionary) else {
            return
        }
        // Feedback is in the overlay before Foundation loses it, so that a reader always finds it.
        if overlay.withLock({ $0.takeOver(value, readAt: place) }) { replaceFoundations() }
    }

    // Writes the removal of Foundation's feedback to its file; false if that fails.
    @discardableResult
    private func writeRemoval() -> Bool {
        removal.withLock { removal in
            if removal.isUnwritten, foundation.write() { removal.isUnwritten = false }
            return !removal.isUnwritten
        }
    }

    // Feedback that the app wrote to Foundation.
    private var foundationsDictionary: [String: Any]? {
        guard !removal.withLock({ $0.isInVain }) else { return nil }
        return foundation.read() as? [String: Any]
    }
}
