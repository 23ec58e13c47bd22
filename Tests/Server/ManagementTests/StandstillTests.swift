import Management
import Testing

/// Work that a disk holds up is given up, work that comes slowly further is not.
struct StandstillTests {
    private let start = ContinuousClock.now

    /// Looks once a second; the second at which the work was given up.
    private func givenUp(
        _ standstill: inout Standstill, seconds: ClosedRange<Int>, work: (Int) -> Duration
    ) -> Int? {
        for second in seconds
        where standstill.look(work: work(second), now: start.advanced(by: .seconds(second))) {
            return second
        }
        return nil
    }

    @Test func workThatUsesNoTimeIsGivenUpAfterTheLimit() {
        var standstill = Standstill(limit: .seconds(10), work: .zero, now: start)
        let end = givenUp(&standstill, seconds: 1...100) { _ in .zero }
        #expect(end == 11)
    }

    @Test func workThatComesSlowlyFurtherGoesOn() {
        var standstill = Standstill(limit: .seconds(10), work: .zero, now: start)
        let end = givenUp(&standstill, seconds: 1...999) { .milliseconds($0 / 9) }
        #expect(end == nil)
        // It came further in the last of these seconds; from then on it does not.
        let later = givenUp(&standstill, seconds: 1_000...2_000) { _ in .milliseconds(111) }
        #expect(later == 1_010)
    }

    /// Waking up to look is no work, and does not keep the wait going forever.
    @Test func wakingUpIsNoWork() {
        var standstill = Standstill(limit: .seconds(10), work: .zero, now: start)
        let end = givenUp(&standstill, seconds: 1...100) { .microseconds($0 * 50) }
        #expect(end == 11)
    }

    /// A machine that slept, or a process that was stopped, for an hour has not waited for a disk for an hour.
    @Test func timeInWhichTheProcessWasStoppedDoesNotCount() {
        var standstill = Standstill(limit: .seconds(10), work: .zero, now: start)
        let end = givenUp(&standstill, seconds: 3_600...3_700) { _ in .zero }
        #expect(end == 3_610)
    }
}
