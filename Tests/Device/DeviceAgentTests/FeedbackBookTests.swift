import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import TestInputs
import Testing

/// What an app counts is neither lost nor told twice, in whatever order things happen (S0-FB-03 to 06).
struct FeedbackBookTests {
    private let app = "com.example.app"
    private let begun = Date(timeIntervalSince1970: 1_000)

    private func note(_ life: String, _ sequence: Int, _ text: String?) -> FeedbackNote {
        FeedbackNote(life: life, sequence: sequence, feedback: text.map { Data($0.utf8) })
    }

    private func book() -> FeedbackBook {
        var book = FeedbackBook()
        book.begin(app, life: "1", at: begun)
        return book
    }

    @Test func theGreatestSequenceCountsAndAnOlderLifeIsNotStored() {
        var book = book()
        #expect(book.put(note("1", 2, "two"), of: app, configuration: "c") == "1")
        #expect(book.put(note("1", 1, "one"), of: app, configuration: "c") == "1")
        #expect(book.life(of: app)?.feedback == Data("two".utf8))
        #expect(book.put(note("0", 9, "old"), of: app, configuration: "c") == "1")
        #expect(book.life(of: app)?.sequence == 2)
    }

    @Test func handingOverBeginsALifeOnce() {
        var book = book()
        book.refuse(app, 3)
        let end = begun + 60
        for next in ["2", "3"] {
            let answer = book.handOver(note("1", 1, "one"), of: app, configuration: "c", at: end, next: next)
            #expect(answer == "2", "a repeated hand-over is answered with the present life")
        }
        #expect(
            book.waiting() == [
                AppFeedbackStatus(
                    life: "1", app: app, feedback: Data("one".utf8), configuration: "c", from: begun, to: end,
                    refused: 3)
            ])
        book.reported(["1"])
        #expect(book.waiting().isEmpty)
    }

    @Test func onlyWhatIsThereIsAskedForAndNotTwiceInAMinuteUnlessAServerWaits() {
        var book = book()
        book.ask(at: begun)
        #expect(book.due.isEmpty)
        _ = book.put(note("1", 1, "one"), of: app, configuration: "")
        book.ask("com.example.other", at: begun)
        #expect(book.due.isEmpty)
        book.ask(app, at: begun)
        #expect(book.due == [app])
        book.takeWithoutProcess(app, at: begun, next: "2")
        #expect(book.due.isEmpty && book.life(of: app)?.name == "2" && book.waiting().count == 1)
        _ = book.put(note("2", 1, "two"), of: app, configuration: "")
        book.ask(at: begun + 59)
        #expect(book.due.isEmpty)
        var awaited = book
        awaited.ask(isAwaited: true, at: begun + 59)
        #expect(awaited.due == [app])
        book.ask(at: begun + 60)
        #expect(book.due == [app])
    }

    @Test func whereTooMuchWaitsNothingIsTakenAndNotesStay() {
        var book = book()
        for life in 1...20 {
            _ = book.handOver(note("\(life)", 1, "x"), of: app, configuration: "", at: begun, next: "\(life + 1)")
        }
        #expect(book.waiting().count == FeedbackBook.mostLivesOfApp)
        let present = "\(FeedbackBook.mostLivesOfApp + 1)"
        #expect(book.life(of: app)?.name == present && book.life(of: app)?.feedback == Data("x".utf8))
        book.ask(at: begun + 600)
        #expect(book.due.isEmpty)
    }

    @Test func aWithdrawnAppIsForgotten() {
        var book = book()
        _ = book.handOver(note("1", 1, "x"), of: app, configuration: "", at: begun, next: "2")
        book.keep(only: [])
        #expect(book == FeedbackBook())
    }

    /// The agent is killed between any two steps, and goes on from what it has stored; answers get lost.
    @Test func tenThousandStepsNeitherLoseNorDoubleACount() throws {
        var random = SplitMix64(seed: Mutation.seed)
        var book = book()
        var stored = book
        var (time, names) = (begun, 1)
        // The app: what it counts in which life, and what it has cleared and not seen answered.
        var (life, sequence, count) = ("1", 0, 0)
        var handing: FeedbackNote?
        var (counted, told) = (0, 0)
        func number(_ data: Data?) -> Int { data.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0 }
        for _ in 0..<10_000 {
            time += 7
            names += 1
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                (counted, count, sequence) = (counted + 1, count + 1, sequence + 1)
            case 2 where handing == nil:
                _ = book.put(note(life, sequence, "\(count)"), of: app, configuration: "")
                stored = book
            case 3:
                book.ask(at: time)
            case 4 where handing != nil || book.due.contains(app):
                let left = handing ?? note(life, sequence, "\(count)")
                if handing == nil { (handing, sequence, count) = (left, 0, 0) }
                let answer = book.handOver(left, of: app, configuration: "", at: time, next: "\(names)")
                stored = book
                // The answer may be lost, or say that it is to be said again.
                if let answer, answer != left.life, Bool.random(using: &random) { (life, handing) = (answer, nil) }
            case 5:
                let waiting = book.waiting()
                told += waiting.reduce(0) { $0 + number($1.feedback) }
                book.reported(Set(waiting.map(\.life)))
                stored = book
            case 6:
                book = try JSONDecoder().decode(FeedbackBook.self, from: JSONEncoder().encode(stored))
            default: break
            }
        }
        let waiting = book.waiting(atMost: .max).reduce(0) { $0 + number($1.feedback) }
        // What is on its way counts where the book does not have it yet.
        let onItsWay = handing.map { $0.life == book.life(of: app)?.name ? number($0.feedback) : 0 } ?? 0
        #expect(told + waiting + onItsWay + count == counted)
        #expect(told > 0)
    }
}
