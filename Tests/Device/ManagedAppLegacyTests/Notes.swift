import AppMessages
import Foundation
import ManagedAppLegacy
import Testing

/// What an agent says.
func told(
    configuration: [String: Any]? = nil, life: String = "a", sequence: Int = 0, feedback: [String: Any]? = nil,
    take: Bool = false
) -> DefaultsState {
    DefaultsState(
        configuration: configuration.flatMap(propertyList), version: "", life: life, sequence: sequence,
        feedback: feedback.flatMap(propertyList), take: take)
}

extension DefaultsState {
    /// The note that it tells of.
    var note: FeedbackNote { FeedbackNote(life: life, sequence: sequence, feedback: feedback) }
}

/// Feedback with one count in it.
func feedback(_ count: Int) throws -> ParsedDictionary { try ParsedDictionary(checking: ["n": count]) }

func count(_ feedback: ParsedDictionary?) -> Int? { feedback?.dictionary["n"] as? Int }

func count(_ note: FeedbackNote) -> Int? { note.feedback.flatMap(dictionary)?["n"] as? Int }

/// The note of an errand that puts one.
func put(_ errand: FeedbackErrand?) throws -> FeedbackNote {
    guard case .put(let note)? = errand else { throw UnexpectedErrand() }
    return note
}

/// The note of an errand that hands one over.
func handOver(_ errand: FeedbackErrand?) throws -> FeedbackNote {
    guard case .handOver(let note)? = errand else { throw UnexpectedErrand() }
    return note
}

struct UnexpectedErrand: Error {}

/// An overlay whose changes can stand within an expectation.
@dynamicMemberLookup
final class Overlay {
    private var value = DefaultsOverlay()

    subscript<Member>(dynamicMember member: KeyPath<DefaultsOverlay, Member>) -> Member { value[keyPath: member] }

    func told(_ state: DefaultsState, at now: ContinuousClock.Instant) { value.told(state, at: now) }

    func unanswered() { value.unanswered() }

    func refused() { value.refused() }

    func read(by thread: UInt, at now: ContinuousClock.Instant) -> ParsedDictionary? { value.read(by: thread, at: now) }

    @discardableResult
    func write(_ feedback: ParsedDictionary?, by thread: UInt, at now: ContinuousClock.Instant) -> Bool {
        value.write(feedback, by: thread, at: now)
    }

    func passBy(elsewhere: Bool, by thread: UInt, at now: ContinuousClock.Instant) {
        value.passBy(elsewhere: elsewhere, by: thread, at: now)
    }

    func takeOver(_ feedback: ParsedDictionary, readAt place: (life: String?, sequence: Int)) -> Bool {
        value.takeOver(feedback, readAt: place)
    }

    func look(at now: ContinuousClock.Instant) { value.look(at: now) }

    func takeNews() -> Bool { value.takeNews() }

    func answered(_ errand: FeedbackErrand, life: String) -> Bool { value.answered(errand, life: life) }

    /// Answers what is to be told now.
    func answer(life: String) throws -> Bool {
        guard let errand = value.errand else { throw UnexpectedErrand() }
        return value.answered(errand, life: life)
    }
}
