import DeviceAgent
import Testing

struct NotesUnderWayTests {
    /// Red where a process that begins gets values that a note is about to replace.
    @Test func theNotesThatWereUnderWayAreWaitedForInWhateverOrderTheyEnd() {
        var notes = NotesUnderWay()
        let tickets = (1...3).map { _ in notes.begin(of: "a") }
        let moment = notes.moment
        var isWaiting = [notes.hasOlder(than: moment, of: "a")]
        for ticket in [tickets[1], tickets[2], tickets[0]] {
            notes.end(ticket)
            isWaiting.append(notes.hasOlder(than: moment, of: "a"))
        }
        #expect(isWaiting == [true, true, true, false])
    }

    /// Red where an app that writes without pause keeps its next process waiting without end.
    @Test func laterNotesAreNotWaitedForHoweverManyComeBeforeOneEnds() {
        var notes = NotesUnderWay()
        var last = notes.begin(of: "a")
        let moment = notes.moment
        var isWaiting: [Bool] = []
        for _ in 1...100 {
            let next = notes.begin(of: "a")
            notes.end(last)
            last = next
            isWaiting.append(notes.hasOlder(than: moment, of: "a"))
        }
        #expect(!isWaiting.contains(true))
        let later = notes.hasOlder(than: notes.moment, of: "a")
        #expect(later, "a process that begins now waits for the newest")
    }

    /// A hand-over that begins after a process ends the life that the process would get.
    ///
    /// Red where only what was under way at its start is waited for: the process counts on in the old life, and the
    /// server has it twice.
    @Test func aHandOverIsWaitedForWheneverItBegan() {
        var notes = NotesUnderWay()
        let moment = notes.moment
        let note = notes.begin(of: "a")
        let whileNoted = notes.keepsWaiting(since: moment, of: "a")
        let handOver = notes.begin(of: "a", isHandOver: true)
        let (own, other) = (notes.keepsWaiting(since: moment, of: "a"), notes.keepsWaiting(since: moment, of: "b"))
        notes.end(note)
        let afterNote = notes.keepsWaiting(since: moment, of: "a")
        notes.end(handOver)
        let afterAll = notes.keepsWaiting(since: moment, of: "a")
        #expect(!whileNoted && own && !other && afterNote && !afterAll)
    }

    /// Red where one app's notes delay another app.
    @Test func eachAppWaitsForItsOwn() {
        var notes = NotesUnderWay()
        let ticket = notes.begin(of: "a")
        let moment = notes.moment
        let (own, other) = (notes.hasOlder(than: moment, of: "a"), notes.hasOlder(than: moment, of: "b"))
        #expect(own && !other)
        notes.end(ticket)
        notes.end(ticket)
        let ended = notes.hasOlder(than: moment, of: "a")
        #expect(!ended, "an end that is heard twice ends nothing else")
    }
}
