package import AppMessages
package import DeviceMessages
package import Foundation
import InputBounds
import Synchronization

/// Keeps the feedback of apps on the disk, sealed, in one file that is replaced whole.
///
/// Everything is written on a queue of its own and known here only once it is on the disk: who is answered, and the server,
/// hear of nothing that a crash could take back.
package final class FeedbackRoom: Sendable {
    private struct State {
        var book: FeedbackBook
        /// The first lives of apps that have written nothing yet.
        var first: [String: (life: String, since: Date)] = [:]
        /// Notes beyond a bound that are not counted in the book yet.
        var refused: [String: Int] = [:]
        var allowances: [String: Allowance] = [:]
        /// The apps that the device manages.
        var managed: Set<String> = []
        var asked: @Sendable () -> Void = {}
        var handedOver: @Sendable () -> Void = {}
    }

    /// Beyond what the most lives take, in the form they are kept in.
    private static let fileLimit = 16 << 20
    private static let purpose = "feedback"

    private let directory: String
    private let steps: any FileSteps
    private let key: SealingKey
    private let now: @Sendable () -> Date
    private let queue = DispatchQueue(label: "apps' feedback")
    private let state: Mutex<State>

    private var path: String { directory + "/feedback" }

    /// Opens the file in `directory`; a torn or changed file is dropped, and the agent begins with none.
    package init(
        directory: String, steps: any FileSteps, key: SealingKey, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.directory, self.steps, self.key, self.now) = (directory, steps, key, now)
        var book = FeedbackBook()
        if let sealed = try? steps.read(directory + "/feedback", limit: Self.fileLimit),
            let plain = try? key.open(sealed, purpose: Self.purpose),
            let known = try? JSONDecoder().decode(FeedbackBook.self, from: plain)
        {
            book = known
        }
        state = Mutex(State(book: book))
    }

    /// Has `asked` called when apps are to be asked, and `handedOver` when there is something for the server.
    package func hear(asked: @escaping @Sendable () -> Void) { state.withLock { $0.asked = asked } }
    package func hear(handedOver: @escaping @Sendable () -> Void) { state.withLock { $0.handedOver = handedOver } }

    // MARK: Apps

    /// The life that an app counts in.
    package func life(of app: String) -> (life: String, sequence: Int, feedback: Data?, isDue: Bool) {
        let moment = now()
        return state.withLock { state -> (life: String, sequence: Int, feedback: Data?, isDue: Bool) in
            if let life = state.book.life(of: app) { return (life.name, life.sequence, life.feedback, life.isDue) }
            let first = state.first[app] ?? (life: Self.newLife(), since: moment)
            state.first[app] = first
            return (first.life, 0, nil, false)
        }
    }

    /// Keeps a note of an app, or with `isHandOver` ends its life; `answer` is called once that is on the disk.
    ///
    /// `uptime` is in nanoseconds and never goes back. The last note of a process that has ended can not be sent again later,
    /// and is taken however soon it comes.
    package func take(
        _ note: FeedbackNote, of app: String, configuration: String, isHandOver: Bool, isLast: Bool = false,
        uptime: UInt64,
        answer: @escaping @Sendable (Result<FeedbackLife, VarlinkError>) -> Void
    ) {
        if let reason = (isLast ? nil : haste(of: app, uptime)) ?? refusal(of: note) {
            state.withLock { $0.refused[app, default: 0] += 1 }
            return answer(.failure(.feedbackRefused(reason)))
        }
        queue.async { [self] in answer(keep(note, of: app, configuration, isHandOver)) }
    }

    private func keep(
        _ note: FeedbackNote, of app: String, _ configuration: String, _ isHandOver: Bool
    ) -> Result<FeedbackLife, VarlinkError> {
        let (isManaged, refused) = state.withLock { ($0.managed.contains(app), $0.refused[app] ?? 0) }
        guard isManaged else { return .failure(.permissionDenied) }
        let first = life(of: app)
        let moment = now()
        do {
            let since = state.withLock { $0.first[app]?.since } ?? moment
            let present = try change { book -> String? in
                book.begin(app, life: first.life, at: since)
                book.refuse(app, refused)
                return isHandOver
                    ? book.handOver(note, of: app, configuration: configuration, at: moment, next: Self.newLife())
                    : book.put(note, of: app, configuration: configuration)
            }
            state.withLock { state in
                state.first[app] = nil
                state.refused[app, default: 0] -= refused
            }
            guard let present else { return .failure(.internalError) }
            if isHandOver, present == note.life {
                return .failure(.feedbackRefused("too much feedback waits for the server: hand it over later"))
            }
            return .success(FeedbackLife(life: present))
        } catch {
            return .failure(.internalError)
        }
    }

    private func haste(of app: String, _ uptime: UInt64) -> String? {
        let isAllowed = state.withLock { state in
            var allowance = state.allowances[app] ?? Allowance(most: 50, perSecond: 5)
            defer { state.allowances[app] = allowance }
            return allowance.take(at: uptime)
        }
        return isAllowed ? nil : "feedback is sent more often than 5 times a second: send the newest, later"
    }

    private func refusal(of note: FeedbackNote) -> String? {
        guard let feedback = note.feedback else { return nil }
        guard feedback.count <= FeedbackBounds.bytes else {
            return "feedback has at most \(FeedbackBounds.bytes) bytes, and this has \(feedback.count): send less"
        }
        do {
            _ = try AppFeedbackStatus.dictionary(feedback)
            return nil
        } catch {
            return "feedback is a dictionary at most \(FeedbackBounds.depth) deep: \(error.rule)"
        }
    }

    // MARK: Taking

    /// Asks all apps, or one, to hand over what they have; `isAwaited` says that a server waits for it.
    package func ask(_ app: String? = nil, isAwaited: Bool = false) {
        queue.async { [self] in
            let moment = now()
            let asked = state.withLock { state -> (@Sendable () -> Void)? in
                // Not written: an agent that begins anew asks at its next round.
                state.book.ask(app, isAwaited: isAwaited, at: moment)
                return state.book.due.isEmpty ? nil : state.asked
            }
            asked?()
        }
    }

    /// The apps that are asked.
    package var due: Set<String> { state.withLock { $0.book.due } }

    /// Returns once what was asked before this has reached the book.
    package func settle() async { await withCheckedContinuation { done in queue.async { done.resume() } } }

    /// Takes what is known of apps that were asked and run no more; `done` is called then, also where it cannot be written.
    package func takeWithoutProcess(_ apps: Set<String>, done: @escaping @Sendable () -> Void = {}) {
        queue.async { [self] in
            let moment = now()
            // What could not be written is taken at another round.
            try? change { book in
                for app in apps { book.takeWithoutProcess(app, at: moment, next: Self.newLife()) }
            }
            done()
        }
    }

    // MARK: The server

    /// What is known of one app's feedback.
    package func known(of app: String) -> KnownFeedback {
        let moment = now()
        return state.withLock { $0.book.known(of: app, at: moment) }
    }

    /// What waits for the server.
    package var waiting: [AppFeedbackStatus] { state.withLock { $0.book.waiting() } }

    /// The server has these lives.
    package func reported(_ lives: Set<String>) throws {
        try queue.sync { try change { $0.reported(lives) } }
    }

    /// Forgets all that is of other apps.
    package func keep(only apps: Set<String>) {
        state.withLock { state in
            state.managed = apps
            state.first = state.first.filter { apps.contains($0.key) }
            state.refused = state.refused.filter { apps.contains($0.key) }
            state.allowances = state.allowances.filter { apps.contains($0.key) }
        }
        queue.async { [self] in
            let managed = state.withLock { $0.managed }
            // If the disk does not take it, memory changes alone, so that nothing is reported; the next write follows.
            do { try change { $0.keep(only: managed) } } catch { state.withLock { $0.book.keep(only: managed) } }
        }
    }

    /// Writes a changed book, then goes by it; on the queue, where alone the book changes.
    private func change<Value>(_ body: (inout FeedbackBook) throws -> Value) throws -> Value {
        var book = state.withLock { $0.book }
        let before = book
        let value = try body(&book)
        guard book != before else { return value }
        let sealed = try key.seal(JSONEncoder().encode(book), purpose: Self.purpose)
        try steps.replace(path, with: sealed, temporary: path + ".new", in: directory)
        let after = book
        let handedOver = state.withLock { state -> @Sendable () -> Void in
            state.book = after
            return state.handedOver
        }
        if after.waiting().count > before.waiting().count { handedOver() }
        return value
    }

    private static func newLife() -> String { UUID().uuidString.lowercased() }
}
