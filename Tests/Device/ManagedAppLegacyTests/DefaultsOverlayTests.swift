import AppMessages
import Foundation
import ManagedAppLegacy
import Testing

struct DefaultsOverlayTests {
    private let now = ContinuousClock.now

    @Test func itKnowsNothingBeforeTheAgentAnswers() {
        let overlay = Overlay()
        #expect(overlay.standing == .waiting)
        #expect(overlay.configuration == nil)
        #expect(overlay.errand == nil)
    }

    @Test func aConfigurationIsToldChangedAndWithdrawn() {
        let overlay = Overlay()
        overlay.told(told(configuration: ["n": 1]), at: now)
        #expect(overlay.configuration?.dictionary["n"] as? Int == 1)
        #expect(!overlay.takeNews(), "nobody can have read anything before the first answer")
        overlay.told(told(configuration: ["n": 2]), at: now)
        #expect(overlay.configuration?.dictionary["n"] as? Int == 2)
        #expect(overlay.takeNews())
        #expect(!overlay.takeNews(), "once for each change")
        overlay.told(told(configuration: ["n": 2]), at: now)
        #expect(!overlay.takeNews(), "the same again is no change")
        overlay.told(told(configuration: nil), at: now)
        #expect(overlay.configuration == nil)
        #expect(overlay.takeNews())
    }

    @Test func anAnswerThatIsLateIsNews() {
        let overlay = Overlay()
        overlay.unanswered()
        overlay.told(told(configuration: ["n": 1]), at: now)
        #expect(overlay.takeNews())
    }

    @Test func whatNobodyCanReadIsNoConfiguration() {
        let overlay = Overlay()
        let state = DefaultsState(
            configuration: Data("nonsense".utf8), version: "", life: "a", sequence: 0, feedback: Data([0]), take: false)
        overlay.told(state, at: now)
        #expect(overlay.configuration == nil)
        #expect(overlay.feedback == nil)
    }

    @Test func onceToldItStaysSo() {
        let overlay = Overlay()
        overlay.told(told(configuration: ["n": 1]), at: now)
        overlay.refused()
        overlay.unanswered()
        #expect(overlay.standing == .told)
        #expect(overlay.configuration != nil)
    }

    @Test func theAppGoesOnFromTheFeedbackThatWaits() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a", sequence: 7, feedback: ["n": 41]), at: now)
        #expect(count(overlay.read(by: 1, at: now)) == 41)
        #expect(overlay.errand == nil, "the agent has it")
        overlay.write(try feedback(42), by: 1, at: now)
        let note = try put(overlay.errand)
        #expect(note.life == "a")
        #expect(note.sequence == 8)
        #expect(count(note) == 42)
    }

    @Test func onlyTheNewestIsSent() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(1), by: 1, at: now)
        let first = try #require(overlay.errand)
        overlay.write(try feedback(2), by: 1, at: now)
        overlay.write(try feedback(3), by: 1, at: now)
        #expect(overlay.answered(first, life: "a"))
        let second = try #require(overlay.errand)
        #expect(try count(put(second)) == 3)
        #expect(overlay.answered(second, life: "a"))
        #expect(overlay.errand == nil)
    }

    @Test func whatIsHandedOverIsGoneAndTheNextLifeBegins() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(5), by: 1, at: now)
        overlay.told(told(life: "a", take: true), at: now)
        #expect(overlay.feedback == nil)
        #expect(overlay.takeNews())
        let errand = try #require(overlay.errand)
        #expect(try count(handOver(errand)) == 5)
        overlay.write(try feedback(1), by: 1, at: now)
        #expect(overlay.errand == errand, "the new life has no name yet")
        #expect(overlay.answered(errand, life: "b"))
        let note = try put(overlay.errand)
        #expect(note.life == "b")
        #expect(count(note) == 1)
    }

    @Test func nothingIsHandedOverWithinAnUpdate() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 1]), at: now)
        #expect(count(overlay.read(by: 1, at: now)) == 1)
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 1], take: true), at: now)
        #expect(overlay.isWaitingForGate)
        overlay.look(at: now)
        #expect(overlay.errand == nil)
        overlay.write(try feedback(2), by: 1, at: now)
        #expect(try count(handOver(overlay.errand)) == 2, "the write that ends the update hands over")
        #expect(overlay.feedback == nil)
    }

    /// Red where a hand-over whose answer is lost is done twice, or forgotten.
    @Test func aHandOverWhoseAnswerIsLostCountsOnce() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(5), by: 1, at: now)
        overlay.told(told(life: "a", take: true), at: now)
        let errand = try #require(overlay.errand)
        // The agent does not have it: it is handed over again.
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 5], take: true), at: now)
        #expect(overlay.errand == errand)
        #expect(overlay.feedback == nil)
        // It does.
        overlay.told(told(life: "b"), at: now)
        #expect(overlay.errand == nil)
        #expect(overlay.life == "b")
    }

    /// Red where news that was under way brings back what has been handed over.
    @Test func newsOfTheLifeBeforeChangesNothing() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 5]), at: now)
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 5], take: true), at: now)
        #expect(try overlay.answer(life: "b"))
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 5], take: true), at: now)
        #expect(overlay.life == "b")
        #expect(overlay.feedback == nil)
        #expect(overlay.errand == nil)
    }

    /// Red where an app that is managed again in its former life takes that for old news.
    @Test func anAppThatIsManagedAgainGoesOn() throws {
        let overlay = Overlay()
        overlay.told(told(life: ""), at: now)
        overlay.write(try feedback(1), by: 1, at: now)
        #expect(overlay.errand == nil, "no agent takes it")
        overlay.told(told(life: "a"), at: now)
        #expect(try count(put(overlay.errand)) == 1)
        #expect(try overlay.answer(life: "a"))
        overlay.told(told(life: ""), at: now)
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 1]), at: now)
        overlay.write(try feedback(2), by: 1, at: now)
        #expect(try count(put(overlay.errand)) == 2)
    }

    @Test func whatTheAgentHasIsGoneWithItsLife() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(5), by: 1, at: now)
        #expect(try overlay.answer(life: "a"))
        overlay.told(told(life: "b"), at: now)
        #expect(overlay.feedback == nil)
        #expect(overlay.takeNews())
        #expect(overlay.errand == nil)
    }

    @Test func whatTheAgentDoesNotHaveIsPutInTheNextLife() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(5), by: 1, at: now)
        let errand = try #require(overlay.errand)
        #expect(!overlay.answered(errand, life: "b"), "a note of an older life is not stored")
        let note = try put(overlay.errand)
        #expect(note.life == "b")
        #expect(count(note) == 5)
    }

    @Test func whatWaitsIsHandedOverWhereTheAppBeganWithoutIt() throws {
        let overlay = Overlay()
        overlay.unanswered()
        overlay.write(try feedback(1), by: 1, at: now)
        overlay.told(told(life: "a", sequence: 9, feedback: ["n": 41]), at: now)
        let errand = try #require(overlay.errand)
        #expect(try handOver(errand) == told(life: "a", sequence: 9, feedback: ["n": 41]).note)
        #expect(overlay.answered(errand, life: "b"))
        let note = try put(overlay.errand)
        #expect(note.life == "b")
        #expect(count(note) == 1)
    }

    @Test func anotherProcessOfTheAppIsFollowed() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a", sequence: 3, feedback: ["n": 3]), at: now)
        overlay.told(told(life: "a", sequence: 4, feedback: ["n": 4]), at: now)
        #expect(count(overlay.feedback) == 4)
        overlay.write(try feedback(5), by: 1, at: now)
        overlay.told(told(life: "a", sequence: 5, feedback: ["n": 99]), at: now)
        #expect(count(overlay.feedback) == 5, "an equal sequence is ours")
    }

    @Test func whatIsNoDictionaryIsForTheAppAlone() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(5), by: 1, at: now)
        #expect(try overlay.answer(life: "a"))
        overlay.passBy(elsewhere: true, by: 1, at: now)
        #expect(overlay.read(by: 1, at: now) == nil)
        #expect(overlay.errand == nil)
        #expect(try overlay.write(feedback(6), by: 1, at: now), "Foundation's is to go")
        #expect(count(overlay.read(by: 1, at: now)) == 6)
    }

    @Test func whatFoundationHadIsTakenOverUnlessTheAppWroteMeanwhile() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        let place = (life: overlay.life, sequence: overlay.sequence)
        #expect(try overlay.takeOver(feedback(3), readAt: place))
        #expect(try count(put(overlay.errand)) == 3)
        overlay.write(nil, by: 1, at: now)
        #expect(try !overlay.takeOver(feedback(3), readAt: place))
    }

    /// A note that lay unread in the socket of an agent that stopped: the app has it still.
    @Test func whatAStoppedAgentLeftUnreadIsSentToTheNext() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a"), at: now)
        overlay.write(try feedback(1), by: 1, at: now)
        #expect(try overlay.answer(life: "a"))
        overlay.write(try feedback(2), by: 1, at: now)
        let unread = try put(overlay.errand)
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 1]), at: now)
        #expect(try put(overlay.errand) == unread && count(unread) == 2)
        #expect(count(overlay.feedback) == 2, "what the agent has of before replaces nothing")
    }

    /// Before the agent has named a life nothing is kept; nor while something is handed over, or what was written then.
    @Test func keptIsWhatTheAgentHasAcknowledged() throws {
        let overlay = Overlay()
        #expect(!overlay.isKept)
        overlay.told(told(life: ""), at: now)
        #expect(!overlay.isKept, "no agent takes it")
        overlay.told(told(life: "a"), at: now)
        #expect(overlay.isKept, "there is nothing")
        overlay.write(try feedback(1), by: 1, at: now)
        #expect(!overlay.isKept)
        #expect(try overlay.answer(life: "a"))
        #expect(overlay.isKept)
        overlay.told(told(life: "a", sequence: 1, feedback: ["n": 1], take: true), at: now)
        #expect(!overlay.isKept, "it is being handed over")
        overlay.write(try feedback(1), by: 1, at: now)
        #expect(try overlay.answer(life: "b"))
        #expect(!overlay.isKept, "the new life has something of its own")
        #expect(try overlay.answer(life: "b"))
        #expect(overlay.isKept)
    }

    @Test func aSequenceWithoutASuccessorEndsNothing() throws {
        let overlay = Overlay()
        overlay.told(told(life: "a", sequence: .max, feedback: ["n": 1]), at: now)
        overlay.write(try feedback(2), by: 1, at: now)
        #expect(count(overlay.feedback) == 2)
    }
}
