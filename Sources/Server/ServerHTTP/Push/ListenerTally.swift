/// What became of who listens to changes, counted since the server began.
package final class ListenerTally: Sendable {
    /// Why somebody hears of nothing more, or is not let in.
    package enum Drop: String, CaseIterable, Sendable {
        /// The listener did not read, so the connection was closed.
        case stalled
        /// Their session or token ended, or may not listen any more.
        case access
        /// As many listen as may.
        case tooMany = "too-many"
    }

    private let told = Count()
    private let counts = Drop.allCases.map { _ in Count() }

    package init() {}

    /// How often a listener missed changes.
    package var resets: Int { told.value }

    package func drops(_ reason: Drop) -> Int { counts[number(reason)].value }

    func countReset() { told.add(1) }

    func count(_ reason: Drop) { counts[number(reason)].add(1) }

    private func number(_ reason: Drop) -> Int { Drop.allCases.firstIndex(of: reason) ?? 0 }
}
