import Glibc
package import NIOCore

/// Where a connection comes from, as far as guesses are counted by it.
package enum PeerAddress {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: a client with one address of such a network has all of
    /// them.
    package static func text(of address: SocketAddress?) -> String? {
        guard let address, let text = address.ipAddress else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard case .v6 = address, unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
        // An IPv4 peer of a listener that hears both.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        return Hexadecimal.text(bytes.prefix(8))
    }
}
