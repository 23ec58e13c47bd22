import AdminMessages
import Foundation
import Testing
import martlet

/// What `martlet feedback follow` and `fetch --wait` take for new, and how they write it.
struct HandOverTests {
    private static func life(_ number: Int, refused: Int = 0) -> AppFeedback {
        let moment = Date(timeIntervalSince1970: 1_800_000_000)
        return AppFeedback(
            number: number, device: "D1", app: "a.b", life: "l\(number)", configuration: nil, from: moment, to: moment,
            received: moment, refused: refused, feedback: .object(["failureCount": .integer(3)]))
    }

    private static func received(after number: Int, _ page: [Int]) -> (numbers: [Int], mayGoOn: Bool) {
        let found = HandOvers.received(after: number, in: page.map { life($0) })
        return (found.lives.map(\.number), found.mayGoOn)
    }

    /// Red where what was shown already is shown again, or where a page that is all new ends the reading.
    @Test func whatWasReceivedLaterIsNew() {
        let some = Self.received(after: 5, [7, 6, 5, 4])
        #expect(some.numbers == [7, 6] && !some.mayGoOn)
        let all = Self.received(after: 3, [7, 6, 5, 4])
        #expect(all.numbers == [7, 6, 5, 4] && all.mayGoOn)
        let none = Self.received(after: 7, [7, 6])
        #expect(none.numbers.isEmpty && !none.mayGoOn)
        #expect(Self.received(after: 0, []).numbers.isEmpty)
    }

    /// The newest that was shown is gone with its device: numbers still say what is new.
    @Test func whatIsKeptNoLongerChangesNothing() {
        let found = Self.received(after: 6, [7, 4, 3])
        #expect(found.numbers == [7] && !found.mayGoOn)
    }

    /// Red where, after a restore, `feedback follow` waits for numbers that the server used before it.
    ///
    /// Red, too, where the note suspects a restore alone: the server also deletes feedback that is old, or that of a
    /// device, and the numbers do not say which it was.
    @Test func aNumberThatIsLostIsNotWaitedFor() throws {
        let lost = HandOvers.place(after: 9, newest: 7)
        let note = try #require(lost.note)
        #expect(lost.number == 7 && note.hasPrefix("The newest hand-over is 7, less than 9. "))
        #expect(note.contains("deleted feedback, or after a backup was restored") && note.hasSuffix("after 7."))
        let none = HandOvers.place(after: 9, newest: 0)
        #expect(none.number == 0 && none.note?.hasPrefix("There is no hand-over. ") == true)
        for newest in [9, 12] {
            let known = HandOvers.place(after: 9, newest: newest)
            #expect(known.number == 9 && known.note == nil)
        }
    }

    /// Red where the command waits for apps that counted nothing, or stops after the first of two apps.
    @Test func allThatWasAnnouncedIsWaitedForAndNothingElse() {
        func announced(_ apps: [String]) -> Set<String>? {
            HandOvers.announced(in: .object(["Apps": .array(apps.map { .string($0) })]))
        }
        let life = Self.life(1)
        #expect(HandOvers.isWhole([], of: announced([])))
        #expect(!HandOvers.isWhole([], of: announced(["a.b"])) && HandOvers.isWhole([life], of: announced(["a.b"])))
        #expect(!HandOvers.isWhole([life], of: announced(["a.b", "c.d"])))
        // An older agent names no apps, so the first hand-over ends the wait.
        for silent in [nil, JSON.object([:]), JSON.object(["Apps": .string("a.b")])] {
            let unknown = HandOvers.announced(in: silent)
            #expect(unknown == nil && !HandOvers.isWhole([], of: unknown) && HandOvers.isWhole([life], of: unknown))
        }
    }

    @Test func anAppsListIsAskedForOrADevices() {
        let app = HandOvers(app: "a.b", device: "D1").request
        #expect(app.path == ["apps", "a.b", "feedback"] && app.query.map(\.1) == ["D1"])
        let all = HandOvers(app: nil, device: "D1").request
        #expect(all.path == ["devices", "D1", "feedback"] && all.query.isEmpty)
    }

    @Test func aHandOverIsALine() {
        #expect(
            HandOverText.line(Self.life(1))
                == #"2027-01-15T08:00:00Z  a.b  device D1  {"failureCount":3}"#)
        #expect(HandOverText.line(Self.life(1, refused: 2)).hasSuffix("  2 notes refused"))
    }
}
