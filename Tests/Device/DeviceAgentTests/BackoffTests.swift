import DeviceAgent
import Foundation
import TestInputs
import Testing

struct BackoffTests {
    private let start = ContinuousClock.now

    /// A back-off with dice that a test can repeat.
    private final class Subject {
        private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        private var random: SplitMix64

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        func mayTry(at now: Backoff.Instant, called: Bool = false) -> Bool { backoff.mayTry(at: now, called: called) }

        func failed(at now: Backoff.Instant, busy: Busy? = nil) -> Backoff.Instant {
            backoff.failed(at: now, busy: busy, using: &random)
        }

        func succeeded() { backoff.succeeded() }
    }

    /// Full jitter: spread over all of a bound that doubles, and never above the longest.
    @Test func waitsGrowToTheirBoundAndAreSpreadOverAllOfIt() {
        var seed: UInt64 = 0
        for (failures, bound) in [(1, 1.0), (2, 2), (3, 4), (7, 60), (200, 60)] {
            let waits = (0..<300).map { _ in
                seed += 1
                let backoff = Subject(seed: seed)
                var now = start
                var last = now
                for _ in 0..<failures {
                    last = now
                    now = backoff.failed(at: now)
                }
                return (now - last) / .seconds(1)
            }
            #expect(waits.allSatisfy { 0...bound ~= $0 })
            #expect(waits.max() ?? 0 > bound * 0.9)
            #expect(waits.min() ?? bound < bound * 0.1)
        }
    }

    @Test func nothingIsTriedBeforeItsTimeAndEverythingAfter() {
        let backoff = Subject(seed: 1)
        #expect(backoff.mayTry(at: start))
        let due = backoff.failed(at: start)
        #expect(!backoff.mayTry(at: start))
        #expect(!backoff.mayTry(at: due - .nanoseconds(1)))
        #expect(backoff.mayTry(at: due))
    }

    @Test func successMakesTheNextFailureTheFirst() {
        let backoff = Subject(seed: 2)
        var now = start
        for _ in 0..<20 { now = backoff.failed(at: now) }
        backoff.succeeded()
        #expect(backoff.mayTry(at: now - .seconds(1)))
        #expect(backoff.failed(at: now) - now <= .seconds(1))
    }

    /// However often somebody rings, patience grows by failures that were due.
    @Test func ringingDoesNotMakeTheDeviceMorePatient() {
        let backoff = Subject(seed: 3)
        let due = backoff.failed(at: start)
        for _ in 0..<1_000 where backoff.mayTry(at: start, called: true) {
            #expect(backoff.failed(at: start) == due)
        }
        #expect(backoff.failed(at: due) - due <= .seconds(2))
    }

    @Test func aCallCutsAWaitShortOnce() {
        let backoff = Subject(seed: 4)
        let due = backoff.failed(at: start)
        #expect(!backoff.mayTry(at: start, called: false))
        #expect(backoff.mayTry(at: start, called: true))
        #expect(!backoff.mayTry(at: start, called: true))
        _ = backoff.failed(at: due)
        #expect(backoff.mayTry(at: due, called: true), "the next wait may be cut short again")
    }

    @Test func anOverloadedServerIsLeftAloneForAsLongAsItAsksWhoeverCalls() {
        var ends: Set<ContinuousClock.Instant> = []
        for seed in 0..<100 {
            let backoff = Subject(seed: UInt64(seed))
            let due = backoff.failed(at: start, busy: Busy(retryAfter: .seconds(90)))
            #expect(due >= start + .seconds(90))
            #expect(due <= start + .seconds(91))
            #expect(!backoff.mayTry(at: due - .nanoseconds(1), called: true))
            #expect(backoff.mayTry(at: due))
            ends.insert(due)
        }
        #expect(ends.count > 90, "devices that were told the same do not come back at the same moment")
    }

    @Test func overloadWithoutATimeIsNotAnsweredAtOnce() {
        for seed in 0..<100 {
            let backoff = Subject(seed: UInt64(seed))
            let due = backoff.failed(at: start, busy: Busy())
            #expect(due >= start + .milliseconds(500))
            #expect(!backoff.mayTry(at: start, called: true))
        }
    }

    @Test func noServerCanSendItsDevicesAwayForEver() {
        let backoff = Subject(seed: 8)
        let due = backoff.failed(at: start, busy: Busy(retryAfter: .seconds(999_999_999)))
        #expect(due <= start + .seconds(3_601))
    }

    /// Red where the guide said of manifests what holds for packages.
    @Test func whatCannotBeFetchedIsTriedAgainAsOftenAsTheGuideSays() throws {
        let guide = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/Martlet.docc/Administrators.md").standardizedFileURL
        let text = try String(contentsOf: guide, encoding: .utf8).replacing("\n", with: " ")
        #expect(text.contains("after a second at most, later after five minutes at most"))
        #expect(DeviceLoop.Pace().retry == Backoff(first: .seconds(1), longest: .seconds(300)))
    }

    @Test func aShorterWordDoesNotShortenALongerWait() {
        let backoff = Subject(seed: 9)
        let due = backoff.failed(at: start)
        #expect(backoff.mayTry(at: start, called: true))
        #expect(backoff.failed(at: start, busy: Busy(retryAfter: .zero)) >= due)
    }
}
