import NIOCore
import ServerHTTP
import Testing

struct PeerAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002"), ("2001:db8:1:2::9", "20010db800010002"),
    ])
    func whoHoldsANetworkIsOnePeer(_ address: String, _ text: String) throws {
        #expect(PeerAddress.text(of: try SocketAddress(ipAddress: address, port: 1)) == text)
    }
}
