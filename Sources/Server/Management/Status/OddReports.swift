import Synchronization

/// How many status reports could be read only in part since the server started.
package final class OddReports: Sendable {
    private let number = Atomic<Int>(0)

    package var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
