import Testing

@testable import DeviceAgent

/// Launches that hang hold up the agent's watchdog, and other apps, for a bounded time together.
struct LaunchPatienceTests {
    /// How long launches that all hang take together, when one follows the other.
    private static func time(
        of count: Int, _ patience: inout LaunchPatience, from now: inout ContinuousClock.Instant
    ) -> Duration {
        let began = now
        for _ in 0..<count {
            let bound = patience.bound(at: now)
            now += bound
            patience.used(bound, at: now)
        }
        return now - began
    }

    /// Red where each launch had the whole bound: three of them took longer than systemd waits for the agent.
    @Test func launchesThatHangTogetherTakeLessThanTheWatchdogWaits() {
        var patience = LaunchPatience()
        var now = ContinuousClock.now
        // As many as one round of the agent's thread can bring.
        let together = Self.time(of: 64, &patience, from: &now)
        #expect(together < .seconds(45))
        now += LaunchPatience.most * LaunchPatience.slowness
        let later = patience.bound(at: now)
        #expect(later == LaunchPatience.most, "it has come back")
    }

    @Test func oneThatHangsAloneHasTheWholePatience() {
        var patience = LaunchPatience()
        var now = ContinuousClock.now
        let alone = Self.time(of: 1, &patience, from: &now)
        #expect(alone == LaunchPatience.most)
        let next = patience.bound(at: now)
        #expect(next >= LaunchPatience.least, "the next may begin nevertheless")
    }

    @Test func launchesThatBeginCostTheOthersNothing() {
        var patience = LaunchPatience()
        var now = ContinuousClock.now
        for _ in 0..<1_000 {
            _ = patience.bound(at: now)
            now += LaunchPatience.least
            patience.used(LaunchPatience.least, at: now)
        }
        let later = patience.bound(at: now)
        #expect(later == LaunchPatience.most)
    }
}
