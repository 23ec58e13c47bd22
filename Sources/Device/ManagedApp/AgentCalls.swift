import AppMessages
import CLinux
import Foundation
import Synchronization

/// The calls of this process that the agent answers once, made on threads that may wait.
///
/// One thread rests on a semaphore between two calls and keeps its connection; others come while it is busy, since an
/// answer may have to come from a server, and go when there is nothing left to do.
final class AgentCalls: Sendable {
    private typealias Answer = @Sendable () -> Void
    /// Asks, and leaves the telling of what came of it for afterwards.
    private typealias Job = @Sendable (inout AgentConversation) -> Answer

    private struct State {
        var jobs: [Job] = []
        var threads = 0
        var isOneResting = false
    }

    /// More calls than this wait for one another.
    private static let mostThreads = 8

    private let path: String
    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    init(path: String) {
        self.path = path
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
            if state.isOneResting {
                state.isOneResting = false
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
                case .rest: arrived.wait()
                case .end: return
                }
            }
        }
        thread.name = "managed-app-call"
        thread.start()
    }

    private enum Next {
        case job(Job)
        /// Until something arrives.
        case rest
        /// Another thread is resting already.
        case end
    }

    private func next() -> Next {
        state.withLock { state in
            if !state.jobs.isEmpty { return .job(state.jobs.removeFirst()) }
            guard state.isOneResting else {
                state.isOneResting = true
                return .rest
            }
            state.threads -= 1
            return .end
        }
    }
}
