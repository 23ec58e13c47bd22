import AppMessages
import Foundation
import ManagedApp
import Synchronization
import Testing

/// The trial room alone, with played loops: which loop tries what, and the outcome.
struct TrialRoomTests {
    private let said = Said()

    private final class Said: Sendable {
        let outcomes = Mutex<[TrialOutcome]>([])
        let reminded = Mutex<[String]>([])
    }

    private func room() -> TrialRoom {
        TrialRoom { [said] outcome in said.outcomes.withLock { $0.append(outcome) } }
    }

    private func enter(_ room: TrialRoom, _ type: String) -> TrialReader {
        room.enter(type) { [said] in said.reminded.withLock { $0.append(type) } }
    }

    private func trial(_ identifier: String = "t", seconds: Int = 60) -> ConfigurationTrial {
        ConfigurationTrial(identifier: identifier, configuration: Data([1]), seconds: seconds)
    }

    private var outcomes: [TrialOutcome] { said.outcomes.withLock { $0 } }

    @Test func everyLoopIsWokenAndTriesOnce() {
        let room = room()
        let readers = [enter(room, "A"), enter(room, "B")]
        #expect(readers[0].take() == nil)
        room.begin(trial())
        #expect(Set(said.reminded.withLock { $0 }) == ["A", "B"])
        for reader in readers {
            #expect(reader.take() == trial())
            #expect(reader.take() == nil)
            #expect(outcomes.isEmpty)
            reader.answer(trial(), nil)
        }
        #expect(outcomes == [TrialOutcome(trial: "t", verdict: .accepted)])
        for reader in readers { reader.answer(trial(), nil) }
        #expect(outcomes.count == 1)
    }

    /// The room reports the first refusal, and then neither tries nor reports anything else.
    @Test func theFirstRefusalIsTheAnswer() {
        let room = room()
        let (first, second, third) = (enter(room, "A"), enter(room, "B"), enter(room, "C"))
        room.begin(trial())
        #expect(first.take() != nil && second.take() != nil)
        second.answer(trial(), .timeout)
        first.answer(trial(), .timeout)
        #expect(third.take() == nil)
        #expect(outcomes.map(\.verdict) == [.refused] && outcomes.first?.type == "B")
    }

    @Test func aLoopThatEndsIsNotWaitedFor() {
        let room = room()
        var leaving: TrialReader? = enter(room, "A")
        let staying = enter(room, "B")
        room.begin(trial())
        #expect(staying.take() != nil)
        staying.answer(trial(), nil)
        #expect(outcomes.isEmpty && leaving != nil)
        leaving = nil
        #expect(outcomes == [TrialOutcome(trial: "t", verdict: .accepted)])
    }

    @Test func whereNoLoopIsNothingIsTried() {
        let room = room()
        var only: TrialReader? = enter(room, "A")
        room.begin(trial())
        #expect(only?.take() != nil && outcomes.isEmpty)
        only = nil
        room.begin(trial("u"))
        #expect(
            outcomes == [
                TrialOutcome(trial: "t", verdict: .notIterating), TrialOutcome(trial: "u", verdict: .notIterating),
            ])
    }

    /// What nobody waits for any more is not tried, and no word on it counts for another.
    @Test func whatNobodyWaitsForIsNotTried() {
        let room = room()
        let reader = enter(room, "A")
        room.begin(trial())
        room.abandon()
        #expect(reader.take() == nil && outcomes.isEmpty)
        room.begin(trial("u"))
        room.begin(trial("v"))
        #expect(reader.take()?.identifier == "v")
        reader.answer(trial("u"), .timeout)
        #expect(outcomes.isEmpty)
        room.begin(trial("late", seconds: 0))
        #expect(reader.take() == nil && outcomes.isEmpty)
    }
}
