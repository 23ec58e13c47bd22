package import AppMessages
import Foundation
package import ManagedApp
import Synchronization

/// This process's connection to its agent for the two dictionaries, in both directions.
///
/// One thread follows what the agent says, another sends. An app's own thread never waits for the agent, except for the
/// first answer: an app that began to count without it would count from nothing.
package final class DefaultsLink: Sendable {
    /// How the app sees the dictionaries.
    package enum Way: Sendable {
        /// The standard user defaults have a class of ours.
        case standardObject
        /// Configurations are arguments, to Foundation; feedback goes by `ManagedAppFeedback` alone.
        case argumentDomain
    }

    struct Sending {
        /// Until when nothing is sent, after something was not answered.
        var pausedUntil: ContinuousClock.Instant?
        var isConnected = false
        /// Whether Foundation is still to be asked for feedback of the time before.
        var looksIntoFoundation = false
        var hasComplained = false
    }

    /// The state of the removal of Foundation's feedback.
    struct Removal {
        /// Whether the feedback is removed in memory and not on the disk yet.
        var isUnwritten = false
        /// Whether feedback remains after a removal, because the app registered it as a default.
        var isInVain = false
    }

    let way: Way
    let overlay = Mutex(DefaultsOverlay())
    let line: Mutex<FeedbackLine>
    let sending = Mutex(Sending())
    let woken = DispatchSemaphore(value: 0)
    let foundation: FoundationsFeedback
    let removal = Mutex(Removal())

    private let origin: AgentLink.Origin
    private let put: @Sendable (ParsedDictionary?) -> Void
    private let announce: @Sendable () -> Void
    private let process = getpid()
    private let answered = DispatchSemaphore(value: 0)
    private let deadline: ContinuousClock.Instant

    /// Prepares a link to an agent by its path; for its first answer readers wait as long as the origin has patience.
    ///
    /// `notify` tells the app that a dictionary changed, and is called on a thread that may wait.
    package convenience init(
        origin: AgentLink.Origin, way: Way, foundation: FoundationsFeedback = .standard,
        notify: @escaping @Sendable () -> Void
    ) {
        let notice = ChangeNotice(notify: notify)
        self.init(
            origin: origin, way: way, foundation: foundation, put: { ArgumentDomain.put($0) },
            announce: { notice.announce() })
    }

    /// Prepares a link whose effects on the app are given: `put` fills the argument domain, and `announce` has the app
    /// notified soon, and does not wait for that.
    package init(
        origin: AgentLink.Origin, way: Way, foundation: FoundationsFeedback = .standard,
        put: @escaping @Sendable (ParsedDictionary?) -> Void, announce: @escaping @Sendable () -> Void
    ) {
        self.way = way
        self.foundation = foundation
        self.put = put
        self.announce = announce
        // The connection that was inherited belongs to the configurations of the framework.
        self.origin = AgentLink.Origin(socket: nil, path: origin.path, patience: origin.patience)
        line = Mutex(FeedbackLine(conversation: AgentConversation(path: origin.path ?? "")))
        deadline = .now + origin.patience
    }

    /// Begins, once.
    package func begin() {
        AgentStream.begin(following: self, origin: origin, name: "managed-defaults")
        let thread = Thread { [self] in send() }
        thread.name = "managed-feedback"
        thread.start()
        // The argument domain is filled once, here: a read of it later cannot wait for the agent.
        if way == .argumentDomain { waitForAnswer() }
    }

    /// Whether this is the process that the link was made in: a copy of it has none of the threads.
    package var isOurs: Bool { getpid() == process }

    /// Whether feedback goes to the agent: not where it does not know this process.
    package var keepsFeedback: Bool {
        waitForAnswer()
        return overlay.withLock { $0.standing != .refused }
    }

    /// What the administrator sends; the first reader waits for the agent's first answer.
    package var configuration: ParsedDictionary? {
        waitForAnswer()
        return overlay.withLock { $0.configuration }
    }

    /// The feedback, for a reader who will not change it.
    package var feedback: ParsedDictionary? {
        overlay.withLock { $0.isElsewhere ? nil : $0.feedback }
    }

    /// The feedback, for a reader who may be about to change it.
    package func readFeedback() -> ParsedDictionary? {
        waitForAnswer()
        let thread = Self.thread
        return overlay.withLock { $0.read(by: thread, at: .now) }
    }

    /// Writes the feedback; whether that replaces what Foundation may have under the key.
    package func write(_ value: ParsedDictionary?) -> Bool {
        let thread = Self.thread
        let isFoundationsReplaced = change { $0.write(value, by: thread, at: .now) }
        sendAtOnce()
        return isFoundationsReplaced
    }

    /// Removes Foundation's feedback, which feedback here has replaced.
    func replaceFoundations() {
        guard foundation.read() != nil else { return }
        replaceFoundations { foundation.remove() }
    }

    /// Removes Foundation's feedback with `remove`; its file follows once the agent has the new feedback.
    func replaceFoundations(_ remove: () -> Void) {
        removal.withLock { removal in
            remove()
            removal = Removal(isUnwritten: true, isInVain: foundation.read() != nil)
        }
        woken.signal()
    }

    /// The app wrote what is no feedback; with `elsewhere`, Foundation keeps it for the app.
    package func passBy(elsewhere: Bool) {
        let thread = Self.thread
        change { $0.passBy(elsewhere: elsewhere, by: thread, at: .now) }
        woken.signal()
    }

    /// Keeps the feedback from being taken until `release`.
    package func hold() {
        waitForAnswer()
        overlay.withLock { $0.hold() }
    }

    /// Lets it be taken again.
    package func release() {
        let thread = Self.thread
        change { $0.release(by: thread, at: .now) }
        woken.signal()
    }

    /// Says on standard error, once, why something was not accepted.
    package func complain(_ error: ManagedAppFeedbackError) {
        let isFirst = sending.withLock { sending in
            defer { sending.hasComplained = true }
            return !sending.hasComplained
        }
        guard isFirst else { return }
        let reason = error.errorDescription ?? ""
        let line = "\(DefaultsKeys.feedback): \(reason) What was set before stays. This is said once.\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    /// Changes what is known, and tells the app if that is called for.
    @discardableResult
    func change<Answer: Sendable>(_ change: (inout DefaultsOverlay) -> Answer) -> Answer {
        let (answer, isNews) = overlay.withLock { overlay -> (Answer, Bool) in
            let answer = change(&overlay)
            return (answer, overlay.takeNews())
        }
        if isNews { announce() }
        return answer
    }

    /// Waits for the agent's first answer, until the origin's patience is over.
    package func waitForAnswer() {
        guard overlay.withLock({ $0.standing == .waiting }) else { return }
        let milliseconds = max(0, Int((deadline - .now) / .milliseconds(1)))
        // Each thread that is woken wakes the next one that waits.
        if answered.wait(timeout: .now() + .milliseconds(milliseconds)) == .success {
            answered.signal()
        } else {
            // Known before this reader goes on without: whatever comes now is news to it.
            overlay.withLock { $0.unanswered() }
        }
    }

    private func wake(_ isFirst: Bool) {
        if isFirst { answered.signal() }
        woken.signal()
    }

    private static var thread: UInt { UInt(pthread_self()) }
}

/// What the agent says is taken in these steps, in this order; other threads may do anything between two of them.
///
/// First it can be read everywhere, then it is known, and readers that wait go on; then the app is notified. Whichever
/// thread notices first that there is news may announce it, so nothing may be left to do once it is known.
package enum NewsStep: CaseIterable, Sendable {
    case putArguments, know, notify
}

extension DefaultsLink: StreamFollower {
    package var watching: AppCall { .watchDefaults }

    package var isWaiting: Bool { overlay.withLock { $0.standing == .waiting } }

    package func told(_ news: DefaultsState) {
        for step in NewsStep.allCases { take(step, of: news) }
    }

    /// Takes one of the steps.
    package func take(_ step: NewsStep, of news: DefaultsState) {
        switch step {
        case .putArguments:
            if way == .argumentDomain { put(news.configuration.flatMap { ParsedDictionary(parsing: $0) }) }
        case .know:
            let isFirst = overlay.withLock { overlay in
                let isFirst = overlay.standing == .waiting
                overlay.told(news, at: .now)
                return isFirst
            }
            // After the news: the thread that sends looks into Foundation once, and only where it knows what was told.
            sending.withLock {
                ($0.isConnected, $0.pausedUntil, $0.looksIntoFoundation) = (true, nil, true)
            }
            wake(isFirst)
        case .notify:
            change { _ in }
        }
    }

    package func unanswered() { settle { $0.unanswered() } }

    package func refused() { settle { $0.refused() } }

    package func disconnected() { sending.withLock { $0.isConnected = false } }

    private func settle(_ change: (inout DefaultsOverlay) -> Void) {
        let isFirst = overlay.withLock { overlay in
            let isFirst = overlay.standing == .waiting
            change(&overlay)
            return isFirst && overlay.standing != .waiting
        }
        wake(isFirst)
    }
}
