package import Foundation

/// Counts what comes from each address in a window of time; beyond the bound nothing is admitted until the next one.
package struct RateBound {
    /// Addresses that are counted apart; beyond it they share one count.
    private static let capacity = 10_000

    private let perWindow: Int
    private let window: TimeInterval
    private var began = Date.distantPast
    private var counts: [String: Int] = [:]

    package init(perWindow: Int, window: TimeInterval) {
        self.perWindow = perWindow
        self.window = window
    }

    package mutating func admits(_ address: String, now: Date) -> Bool {
        if now.timeIntervalSince(began) >= window {
            began = now
            counts = [:]
        }
        let key = counts[address] != nil || counts.count < Self.capacity ? address : ""
        let count = (counts[key] ?? 0) + 1
        counts[key] = count
        return count <= perWindow
    }
}
