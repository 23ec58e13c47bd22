package import AppMessages
import Foundation

/// What is known of the two dictionaries of an app: the one that its administrator sends, and the one that it sends back.
///
/// Feedback belongs to a life. The agent names the lives, and a new one begins whenever feedback is handed over; within one
/// the greatest sequence counts. A change of the life tells which feedback the agent has taken: what it has acknowledged is
/// gone, and what it has not is sent again in the new life. So nothing is lost, whenever either side ends.
package struct DefaultsOverlay: Sendable {
    /// How far the process has come with its agent.
    package enum Standing: Sendable {
        /// No answer yet, and still time for one.
        case waiting
        /// No answer in time; one may still come.
        case unanswered
        /// The agent does not know this process.
        case refused
        /// The agent has answered.
        case told
    }

    package private(set) var standing = Standing.waiting

    /// What the administrator sends; nil for nothing.
    package private(set) var configuration: ParsedDictionary?

    /// What the app sends back; nil for nothing.
    package private(set) var feedback: ParsedDictionary?

    /// Whether the app put something under the key that is no dictionary, which is between the app and Foundation.
    package private(set) var isElsewhere = false

    /// Names the life of `feedback`; nil until the agent has.
    package private(set) var life: String?

    /// Counts what was written in this life.
    package private(set) var sequence = 0

    /// The newest that the agent has on its disk.
    private var acknowledged = 0

    /// What was taken away, until the agent has it.
    private var handing: FeedbackNote?

    /// The life before this one: news of it was under way when it ended.
    private var former: String?

    /// The agent's last word on the configuration, readable or not.
    private var heard: Data?
    private var gate = FeedbackGate()
    private var hasNews = false

    /// Knows nothing.
    package init() {}

    // MARK: The agent

    /// Takes what the agent says.
    package mutating func told(_ state: DefaultsState, at now: ContinuousClock.Instant) {
        let isFirst = standing == .waiting
        standing = .told
        if state.configuration != heard {
            heard = state.configuration
            configuration = state.configuration.flatMap { ParsedDictionary(parsing: $0) }
            // While readers wait for the first answer nobody has seen anything else.
            if !isFirst { hasNews = true }
        }
        hear(of: state)
        guard state.take, handing == nil, state.life == life else { return }
        gate.ask(at: now)
        look(at: now)
    }

    /// There was no answer in time.
    package mutating func unanswered() {
        if standing == .waiting { standing = .unanswered }
    }

    /// The agent does not know this process; what one said that did stays.
    package mutating func refused() {
        if standing != .told { standing = .refused }
    }

    private mutating func hear(of state: DefaultsState) {
        // An app that is not managed has no life; one that was goes on in its own when it is again.
        guard !state.life.isEmpty, state.life != former else { return }
        if handing != nil {
            // The agent has it, and its answer was lost.
            handing = nil
            begin(state)
        } else if life == nil, sequence > 0, let waiting = state.feedback {
            // The app began with nothing, since the answer was late: what waits is handed over for itself.
            handing = FeedbackNote(life: state.life, sequence: state.sequence, feedback: waiting)
            former = state.life
        } else if life == state.life {
            // Another process of the app has written.
            if state.sequence > sequence { adopt(state) }
        } else {
            begin(state)
        }
    }

    // Enters a life that is new here.
    private mutating func begin(_ state: DefaultsState) {
        gate.close()
        former = life ?? former
        guard sequence > acknowledged else {
            if feedback != nil { hasNews = true }
            return adopt(state)
        }
        life = state.life
        acknowledged = 0
        sequence = max(sequence, Self.after(state.sequence))
    }

    private mutating func adopt(_ state: DefaultsState) {
        (life, sequence, acknowledged) = (state.life, state.sequence, state.sequence)
        feedback = state.feedback.flatMap { ParsedDictionary(parsing: $0) }
    }

    // MARK: The app

    /// A thread of the app reads the feedback, and may be about to change it.
    package mutating func read(by thread: UInt, at now: ContinuousClock.Instant) -> ParsedDictionary? {
        gate.read(by: thread, at: now)
        return isElsewhere ? nil : feedback
    }

    /// A thread of the app writes the feedback; whether that replaces what Foundation may have under the key.
    @discardableResult
    package mutating func write(_ value: ParsedDictionary?, by thread: UInt, at now: ContinuousClock.Instant) -> Bool {
        // Where there was nothing here, what the app has read was Foundation's.
        let isFoundationsReplaced = isElsewhere || feedback == nil || value == nil
        isElsewhere = false
        feedback = value
        sequence = Self.after(sequence)
        gate.write(by: thread, at: now)
        look(at: now)
        return isFoundationsReplaced
    }

    /// A thread of the app wrote something that is kept for the app alone, or that was not accepted.
    package mutating func passBy(elsewhere: Bool, by thread: UInt, at now: ContinuousClock.Instant) {
        if elsewhere { isElsewhere = true }
        gate.write(by: thread, at: now)
        look(at: now)
    }

    /// An update begins that says itself when it ends.
    package mutating func hold() { gate.hold() }

    /// Such an update ends.
    package mutating func release(by thread: UInt, at now: ContinuousClock.Instant) {
        gate.release()
        passBy(elsewhere: false, by: thread, at: now)
    }

    /// Takes feedback over that Foundation had; whether it did.
    ///
    /// Not if the app has written since it was read there: `place` is the life and the sequence of that moment.
    package mutating func takeOver(_ value: ParsedDictionary, readAt place: (life: String?, sequence: Int)) -> Bool {
        guard standing == .told, feedback == nil, !isElsewhere else { return false }
        guard let life, life == place.life, sequence == place.sequence else { return false }
        feedback = value
        sequence = Self.after(sequence)
        return true
    }

    // MARK: What follows

    /// Whether feedback is to be taken away and an update may still be open that ends without a word.
    package var isWaitingForGate: Bool { gate.asked != nil && !gate.isHeld }

    /// Takes the feedback away if that was asked for and no update is open.
    package mutating func look(at now: ContinuousClock.Instant) {
        guard gate.asked != nil, handing == nil, let life, gate.isFree(at: now) else { return }
        handing = FeedbackNote(life: life, sequence: sequence, feedback: feedback?.data)
        if feedback != nil { hasNews = true }
        former = life
        (self.life, feedback, sequence, acknowledged) = (nil, nil, 0, 0)
        gate.close()
    }

    /// Whether the agent has all that the app wrote on its disk, or in the hands of the server.
    package var isKept: Bool { life != nil && handing == nil && sequence <= acknowledged }

    /// What the agent is to be told now.
    package var errand: FeedbackErrand? {
        if let handing { return .handOver(handing) }
        guard let life, sequence > acknowledged else { return nil }
        return .put(FeedbackNote(life: life, sequence: sequence, feedback: feedback?.data))
    }

    /// Takes the agent's answer, which names the present life; false when the same is to be said again.
    package mutating func answered(_ errand: FeedbackErrand, life named: String) -> Bool {
        switch errand {
        case .handOver(let note):
            guard handing == note else { return true }
            guard named != note.life else { return false }
            handing = nil
            life = named
            return true
        case .put(let note):
            guard life == note.life else { return true }
            if named == note.life {
                acknowledged = max(acknowledged, note.sequence)
                return true
            }
            // An older life is not stored: what it had newly is put in the present one.
            (former, life, acknowledged) = (life, named, 0)
            gate.close()
            return false
        }
    }

    /// Whether the app is to be notified, once for each time.
    package mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    private static func after(_ sequence: Int) -> Int { sequence == .max ? .max : sequence + 1 }
}

/// What the agent is to be told of the feedback.
package enum FeedbackErrand: Equatable, Sendable {
    /// As it is now.
    case put(FeedbackNote)
    /// Taken away from the app, for the server.
    case handOver(FeedbackNote)

    /// The call for it.
    package var call: AppCall {
        switch self {
        case .put(let note): .putFeedback(note)
        case .handOver(let note): .handOverFeedback(note)
        }
    }
}
