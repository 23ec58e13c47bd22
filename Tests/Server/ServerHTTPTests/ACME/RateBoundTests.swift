import Foundation
import ServerHTTP
import Testing

struct RateBoundTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func anAddressIsAdmittedSoOftenInAWindow() {
        var bound = RateBound(perWindow: 2, window: 10)
        let admitted = (0..<3).map { _ in bound.admits("a", now: now) }
        #expect(admitted == [true, true, false])
        let later = [("b", 9.0), ("a", 9), ("a", 10)].map { bound.admits($0.0, now: now + $0.1) }
        #expect(later == [true, false, true])
    }

    /// Memory is bounded: beyond it addresses share one count, and those counted apart keep theirs.
    @Test func manyAddressesShareOneCount() {
        var bound = RateBound(perWindow: 2, window: 10)
        for number in 0..<10_000 { _ = bound.admits("\(number)", now: now) }
        let admitted = (0..<3).map { bound.admits("late \($0)", now: now) }
        #expect(admitted == [true, true, false])
        let known = bound.admits("7", now: now)
        #expect(known)
    }
}
