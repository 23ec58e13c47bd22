import AdminMessages
import Testing
import martlet

/// What the administrator reads of a command for every device of a group, and with which status the tool ends.
struct GroupCommandTextTests {
    @Test func whatWasQueuedForAllIsOneSentence() {
        let result = GroupCommandResult(queued: 3, refused: 0, refusals: [], warnings: nil)
        #expect(GroupCommandText.failure(result, job: "J") == nil)
        #expect(GroupCommandText.sentence(result, group: "pilots") == "Queued for 3 devices of pilots.")
        let one = GroupCommandResult(queued: 1, refused: 0, refusals: [], warnings: nil)
        #expect(GroupCommandText.sentence(one, group: "pilots") == "Queued for 1 device of pilots.")
    }

    @Test func whatThereIsToSayOfTheCommandIsSaidToo() {
        let result = GroupCommandResult(queued: 3, refused: 0, refusals: [], warnings: ["a", "b"])
        let text = GroupCommandText.sentence(result, group: "pilots")
        #expect(text == "Queued for 3 devices of pilots.\nwarning: a\nwarning: b")
    }

    /// A script knows from the status that not every device has it, and a person which and why.
    @Test func aRefusalEndsWithItsStatusAndSaysWhoAndWhy() {
        let refusals = [GroupDevicesResult.Refusal(device: "D1", reason: "It is full.")]
        let result = GroupCommandResult(queued: 3, refused: 2, refusals: refusals, warnings: nil)
        let failure = GroupCommandText.failure(result, job: "J")
        #expect(failure?.status == .refused && failure?.reason == "the command was refused for 2 of 5 devices")
        #expect(failure?.advice == "D1: It is full.\nmartlet job show J says the same.")
    }
}
