import HTTPTypes
import Synchronization

/// How many requests are under way, and how those ended that are not.
package final class Traffic: Sendable {
    /// What is known of the requests of one area.
    private final class Ended: Sendable {
        /// By the first digit of the status, from 1xx on.
        let byStatus = (1...5).map { _ in Count() }
        let durations = Histogram()
    }

    private let current = Count()
    private let bodyBytes = Count()
    private let refused = Count()
    private let accessRefused = AccessRefusal.allCases.map { _ in Count() }
    private let ended = Area.allCases.map { _ in Ended() }

    package init() {}

    /// Requests that are being answered.
    var underWay: Int { current.value }
    /// Bytes of bodies that are in memory.
    var heldBodyBytes: Int { bodyBytes.value }
    /// What devices and people asked for and were refused by a rule.
    var refusals: Int { refused.value }

    func enter(limit: Int) -> Bool {
        guard current.add(1) <= limit else {
            leave()
            return false
        }
        return true
    }

    func leave() { current.add(-1) }

    /// Counts bytes of a body that are in memory, unless that would pass the bound.
    func takeBody(_ count: Int, limit: Int) -> Bool {
        guard bodyBytes.add(count) <= limit else {
            bodyBytes.add(-count)
            return false
        }
        return true
    }

    func giveBackBody(_ count: Int) { bodyBytes.add(-count) }

    func count(_ area: Area, status: HTTPResponse.Status, lasting duration: Duration) {
        let counts = ended[area.number]
        let index = status.code / 100 - 1
        if counts.byStatus.indices.contains(index) { counts.byStatus[index].add(1) }
        counts.durations.record(duration)
    }

    func countRefusal() { refused.add(1) }

    /// Messages of devices that could be read only in part, by what they are.
    let oddCheckIns = Count()
    let oddResults = Count()

    func count(_ refusal: AccessRefusal) { accessRefused[refusal.number].add(1) }

    /// How often somebody was refused as an administrator for a reason.
    package func refusals(_ refusal: AccessRefusal) -> Int { accessRefused[refusal.number].value }

    /// How many requests of an area ended with a status of `hundreds`.
    func requests(_ area: Area, hundreds: Int) -> Int { ended[area.number].byStatus[hundreds - 1].value }

    func durations(_ area: Area) -> Histogram { ended[area.number].durations }
}

/// A number that many count at once.
final class Count: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    @discardableResult
    func add(_ amount: Int) -> Int { number.add(amount, ordering: .relaxed).newValue }
}

/// How long things took, counted by upper bounds.
final class Histogram: Sendable {
    /// In seconds: from the time of a look-up to a wait that is too long.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// One for each bound, and one for what took longer than all.
    private let counts = (0...Histogram.bounds.count).map { _ in Count() }
    private let microseconds = Count()

    func record(_ duration: Duration) {
        let seconds = duration.milliseconds / 1_000
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count].add(1)
        microseconds.add(Int(seconds * 1_000_000))
    }

    /// How many took at most as long as each bound, and at last how many there were.
    var cumulative: [Int] {
        var sum = 0
        return counts.map {
            sum += $0.value
            return sum
        }
    }

    var seconds: Double { Double(microseconds.value) / 1_000_000 }
}
