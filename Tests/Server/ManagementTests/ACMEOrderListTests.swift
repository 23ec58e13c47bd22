import Management
import Testing

/// RFC 8555 §7.1.2.1: a long list of orders comes in parts.
struct ACMEOrderListTests {
    private let found = (0..<ACMEOrderList.length + 1).map { "order-\(1_000 + $0)" }

    @Test func `a list that is longer than an answer says after which order it goes on`() {
        let list = ACMEOrderList(found)
        #expect(list.orders == Array(found.dropLast()))
        #expect(list.next == found[ACMEOrderList.length - 1])
    }

    @Test func `a list that fits ends there`() {
        #expect(ACMEOrderList(Array(found.dropLast())).next == nil)
        #expect(ACMEOrderList([]).orders.isEmpty && ACMEOrderList([]).next == nil)
    }
}
