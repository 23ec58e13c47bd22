import AppMessages
import CLinux
import Foundation
import Synchronization

/// The calls of this process that the agent answers once, made on threads that may wait.
///
/// One thread rests on a semaphore between two calls and keeps its connection; others come while it is busy, since an
/// answer may have to come from a slow chip, and go when there was nothing to do for a while: the agent lets a program
/// connect only so often. What the agent has at hand is asked for on the caller's own thread: its answer takes less time
/// than to wake another.
final class AgentCalls: Sendable {
    private typealias Answer = @Sendable () -> Void
    /// Asks, and leaves the telling of what came of it for afterwards.
    private typealias Job = @Sendable (inout AgentConversation) -> Answer

    private struct State {
        var jobs: [Job] = []
        var threads = 0
        /// Threads that wait for a job which nobody has been woken for yet.
        var resting = 0
    }

    /// More calls than this wait for one another.
    private static let mostThreads = 8
    /// How long those that are more than one rest.
    private static let rest = DispatchTimeInterval.seconds(1)

    private let path: String
    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    /// For one caller at a time; the others do not wait for it.
    private let atHand: Mutex<AgentConversation>

    init(path: String) {
        self.path = path
        atHand = Mutex(AgentConversation(path: path))
    }

    /// What came of asking for something at hand.
    enum Attempt<Reply> {
        case answered(Result<Reply, ManagedAppError>)
        /// It was asked, and the answer takes longer than a caller may wait.
        case owed
        /// Somebody else is asking: it was not asked.
        case busy
    }

    /// Asks for what the agent has at hand, and keeps the caller's thread for a millisecond or two at most.
    func ask<Reply: Decodable & Sendable>(atOnce call: AppCall) -> Attempt<Reply> {
        let attempt = atHand.withLockIfAvailable { conversation -> Attempt<Reply> in
            guard !conversation.isOwedAnswer else { return .busy }
            let reply: Result<VarlinkReply<Reply>, AgentConversation.Ending> = conversation.answerAtOnce(to: call)
            return conversation.isOwedAnswer ? .owed : .answered(Self.result(try? reply.get()))
        }
        clinux_wipe_stack()
        return attempt ?? .busy
    }

    /// Has an answer that is owed, or asks again if nobody is there any more who owes it; `done` as below.
    func askOn<Reply: Decodable & Sendable>(
        _ call: AppCall, milliseconds: Int, done: @escaping @Sendable (Result<Reply, ManagedAppError>) -> Void
    ) {
        submit { [self] conversation in
            let owed: Result<VarlinkReply<Reply>, AgentConversation.Ending> = atHand.withLock {
                $0.owedAnswer(milliseconds: milliseconds)
            }
            var reply = try? owed.get()
            if case .failure(.gone) = owed { reply = conversation.ask(call, milliseconds: milliseconds) }
            let result = Self.result(reply)
            return { done(result) }
        }
    }

    /// Asks the agent; `done` runs on a thread of this object and must not wait.
    ///
    /// A refusal is one of the three that an app knows; no answer in time is the device's fault.
    func ask<Reply: Decodable & Sendable>(
        _ call: AppCall, milliseconds: Int, done: @escaping @Sendable (Result<Reply, ManagedAppError>) -> Void
    ) {
        submit { conversation in
            let result: Result<Reply, ManagedAppError> = Self.result(
                conversation.ask(call, milliseconds: milliseconds))
            return { done(result) }
        }
    }

    /// What a reply means to an app.
    static func result<Reply>(_ reply: VarlinkReply<Reply>?) -> Result<Reply, ManagedAppError> {
        switch reply?.result {
        case .success(let reply)?: .success(reply)
        case .failure(.invalidIdentifier)?, .failure(.permissionDenied)?: .failure(.invalidIdentifier)
        case .failure(.serverError)?: .failure(.serverError)
        case .failure?, nil: .failure(.internalError)
        }
    }

    private func submit(_ job: @escaping Job) {
        enum Way { case wake, start, wait }
        let way = state.withLock { state -> Way in
            state.jobs.append(job)
            if state.resting > 0 {
                state.resting -= 1
                return .wake
            }
            guard state.threads < Self.mostThreads else { return .wait }
            state.threads += 1
            return .start
        }
        switch way {
        case .wake: arrived.signal()
        case .start: start()
        case .wait: break
        }
    }

    private func start() {
        let thread = Thread { [self] in
            var conversation = AgentConversation(path: path)
            var answer: Answer?
            while true {
                let next = next()
                // Told only now: who asks again at once finds this thread ready, and its connection with it.
                answer?()
                answer = nil
                // A short text is no object of its own: copies of a password lie where the answer was read.
                clinux_wipe_stack()
                switch next {
                case .job(let job): answer = job(&conversation)
                case .rest(isSpare: false): arrived.wait()
                case .rest(isSpare: true): if isOver() { return }
                }
            }
        }
        thread.name = "managed-app-call"
        thread.start()
    }

    private enum Next {
        case job(Job)
        /// Until something arrives; a spare one not forever.
        case rest(isSpare: Bool)
    }

    private func next() -> Next {
        state.withLock { state in
            if !state.jobs.isEmpty { return .job(state.jobs.removeFirst()) }
            state.resting += 1
            return .rest(isSpare: state.resting > 1)
        }
    }

    /// Rests until there is a job, or until it was one thread too many for long enough.
    private func isOver() -> Bool {
        if arrived.wait(timeout: .now() + Self.rest) == .success { return false }
        let isOver = state.withLock { state in
            guard state.resting > 1 else { return false }
            state.resting -= 1
            state.threads -= 1
            return true
        }
        // The last thread stays, and a thread that was woken at this moment has work.
        if !isOver { arrived.wait() }
        return isOver
    }
}
