import DeviceAgent
import Testing

struct AllowanceTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func soMuchIsThereAtOnceAndThenSoMuchASecond() {
        var allowance = Allowance(most: 3, perSecond: 2)
        let begin = Self.second
        let atOnce = [begin, begin, begin, begin].map { allowance.take(at: $0) }
        #expect(atOnce == [true, true, true, false])
        let next = allowance.next(after: begin)
        #expect(next > begin + Self.second / 3 && next <= begin + Self.second / 2 + 1)
        let later = [next - 1_000_000, next, next].map { allowance.take(at: $0) }
        #expect(later == [false, true, false])
    }

    @Test func whatIsNotUsedIsNotGathered() {
        var allowance = Allowance(most: 2, perSecond: 100)
        let first = allowance.take(at: 0)
        let (partly, whole) = (allowance.isWhole(at: 1), allowance.isWhole(at: Self.second))
        #expect(first && !partly && whole)
        let minute = Self.second * 60
        let taken = [minute, minute, minute].map { allowance.take(at: $0) }
        #expect(taken == [true, true, false])
    }
}
