import Testing

@testable import ServerHTTP

/// A device that is refused asks again: the log has room for others meanwhile, and counts what it leaves out.
@Suite struct RefusalLogBoundTests {
    private let start = ContinuousClock.now

    @Test func oneEnrollmentHasItsShareOfAMinute() {
        let log = RefusalLog(at: start)
        let written = (0..<100).filter { _ in log.admit("D1", at: start) != nil }
        #expect(written.count == RefusalLog.ofOne)
        #expect(log.admit("D2", at: start) == 100 - RefusalLog.ofOne)
        #expect(log.admit("D2", at: start) == 0, "what was counted once is said once")
        #expect(log.admit("D1", at: start + .seconds(59)) == nil)
        #expect(log.admit("D1", at: start + .seconds(60)) == 1)
    }

    @Test func allTogetherHaveOne() {
        let log = RefusalLog(at: start)
        let written = (0..<10_000).filter { log.admit("D\($0)", at: start) != nil }
        #expect(written.count == RefusalLog.ofAll)
        #expect(log.admit(nil, at: start) == nil)
        #expect(log.admit(nil, at: start + .seconds(60)) == 10_000 - RefusalLog.ofAll + 1)
    }
}
