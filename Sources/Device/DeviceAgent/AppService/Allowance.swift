/// How much somebody may do: so much at once, and so much a second from then on.
package struct Allowance {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var last: UInt64?

    /// Begins with all that may be done at once.
    package init(most: Double, perSecond: Double) {
        self.most = most
        self.perSecond = perSecond
        left = most
    }

    /// Takes one, if it is there; `now` is in nanoseconds and never goes back.
    package mutating func take(at now: UInt64) -> Bool {
        refill(now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// When there will be one; `now` if there is one.
    package func next(after now: UInt64) -> UInt64 {
        left >= 1 ? now : now + UInt64((1 - left) / perSecond * 1_000_000_000) + 1
    }

    /// Whether nothing was taken that has not come back.
    package mutating func isWhole(at now: UInt64) -> Bool {
        refill(now)
        return left >= most
    }

    private mutating func refill(_ now: UInt64) {
        if let last, now > last { left = min(most, left + Double(now - last) / 1_000_000_000 * perSecond) }
        last = max(now, last ?? 0)
    }
}
