import Glibc
package import NIOCore

/// Where a connection comes from, as far as guesses are counted by it.
package enum PeerAddress {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: whoever has one of those has all the rest.
    package static func text(of address: SocketAddress?) -> String? {
        guard let address, let text = address.ipAddress else { return nil }
        guard case .v6(let six) = address else { return text }
        return unsafe withUnsafeBytes(of: six.address.sin6_addr) { bytes in
            // An IPv4 peer of a listener that hears both.
            if unsafe bytes.prefix(10).allSatisfy({ $0 == 0 }), unsafe bytes[10] == 0xFF, unsafe bytes[11] == 0xFF {
                return unsafe bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
            }
            return unsafe Hexadecimal.text(bytes.prefix(8))
        }
    }
}
