import ManagedAppLegacy
import Testing

struct FeedbackGateTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func itIsFreeWhereNobodyReads() {
        var gate = FeedbackGate()
        gate.ask(at: start)
        #expect(gate.isFree(at: start))
    }

    @Test func anUpdateIsOpenFromItsReadToItsWrite() {
        var gate = FeedbackGate()
        gate.read(by: 1, at: start)
        gate.ask(at: start)
        #expect(!gate.isFree(at: at(1)))
        gate.write(by: 2, at: at(1))
        #expect(!gate.isFree(at: at(2)), "another thread's write closes nothing")
        gate.write(by: 1, at: at(3))
        #expect(gate.isFree(at: at(3)))
    }

    /// Milliseconds: when the thread read, when feedback was asked for, when somebody looks.
    struct Row: Sendable {
        let read: Int
        let asked: Int
        let look: Int
        let hasWritten: Bool
        let isFree: Bool
    }

    private static let rows: [Row] = [
        Row(read: 0, asked: 0, look: 249, hasWritten: false, isFree: false),
        Row(read: 0, asked: 0, look: 250, hasWritten: false, isFree: true),
        Row(read: 0, asked: 240, look: 251, hasWritten: false, isFree: true),
        Row(read: 299, asked: 0, look: 300, hasWritten: false, isFree: true),
        Row(read: 296, asked: 0, look: 300, hasWritten: true, isFree: false),
        Row(read: 295, asked: 0, look: 300, hasWritten: true, isFree: true),
        Row(read: 999, asked: 0, look: 999, hasWritten: true, isFree: false),
        Row(read: 1_000, asked: 0, look: 1_000, hasWritten: true, isFree: true),
    ]

    @Test(arguments: rows) func itWaitsLessAndLess(row: Row) {
        var gate = FeedbackGate()
        if row.hasWritten { gate.write(by: 1, at: start) }
        gate.ask(at: at(row.asked))
        gate.read(by: 1, at: at(row.read))
        #expect(gate.isFree(at: at(row.look)) == row.isFree)
    }

    @Test func anUpdateThatSaysWhenItEndsIsWaitedForHoweverLong() {
        var gate = FeedbackGate()
        gate.hold()
        gate.ask(at: start)
        #expect(!gate.isFree(at: at(3_600_000)))
        gate.release()
        #expect(gate.isFree(at: at(3_600_000)))
    }

    @Test func askingAgainDoesNotBeginAnew() {
        var gate = FeedbackGate()
        gate.ask(at: start)
        gate.ask(at: at(900))
        gate.read(by: 1, at: at(1_000))
        #expect(gate.isFree(at: at(1_000)))
    }
}
