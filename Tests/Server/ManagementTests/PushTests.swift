import Foundation
import Testing

@testable import Management

/// Who waits to be woken by push, and when the certificate is warned of.
@Suite struct PushTests {
    private func queue(most: Int = 3) -> PushQueue {
        let queue = PushQueue(most: most)
        queue.isActive = true
        return queue
    }

    @Test func aDeviceWaitsOnceHoweverOftenItIsNamed() {
        let queue = queue()
        for _ in 0..<5 { queue.wake("D1") }
        queue.changed(groups: ["g"])
        queue.changed(groups: ["g"])
        #expect(queue.waiting == 2)
        #expect(queue.take(10) == .devices(["D1"]))
        #expect(queue.take(10) == .group("g"))
        #expect(queue.take(10) == nil)
    }

    /// The queue is bounded, and beyond the bound nobody is forgotten.
    @Test func beyondTheBoundEverybodyIsWoken() {
        let queue = queue()
        for number in 0..<4 { queue.wake("D\(number)") }
        #expect(queue.waiting == 1)
        #expect(queue.take(10) == .everyone)
    }

    /// Without a credential nothing waits and nothing is read for a device that keeps no stream open.
    @Test func withoutACredentialNothingWaits() {
        let queue = PushQueue()
        let hub = WakeHub(others: [queue])
        hub.wake("D1")
        #expect(queue.waiting == 0 && !hub.reaches("D1"))
        queue.isActive = true
        hub.wake("D1")
        #expect(queue.waiting == 1 && hub.reaches("D1"))
        queue.isActive = false
        #expect(queue.waiting == 0)
    }

    @Test(
        arguments: [
            (90.0, nil), (60.5, nil), (59.0, 60), (31.0, 60), (30.0, 30), (8.0, 30), (6.9, 7), (0.1, 7), (-1, 0),
        ] as [(Double, Int?)])
    func theEndIsWarnedOf60And30And7DaysAhead(days: Double, warning: Int?) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let end = now.timeIntervalSinceReferenceDate + days * 86_400
        let kept = #"{"chain":"c","key":"k","topic":"t","expires":\#(end)}"#
        #expect(try PushSetup(kept: Data(kept.utf8)).warning(now) == warning)
    }
}
