import Glibc
import Management
import NIOPosix

/// What a name stands for, as the system says at this moment.
package enum HostAddresses {
    /// How many are looked at; nobody needs more.
    private static let most = 16

    /// An address as it is written, with its bytes.
    package struct Address: Sendable, Equatable {
        package let text: String
        package let bytes: [UInt8]

        package init?(_ text: String) {
            guard let bytes = NetworkRange.address(text) else { return nil }
            (self.text, self.bytes) = (text, bytes)
        }
    }

    /// In the order in which the system would try them; none if there are none.
    ///
    /// It may take long, so a thread of its own asks.
    package static func of(_ host: String) async -> [Address] {
        (try? await NIOThreadPool.singleton.runIfActive { look(host) }) ?? []
    }

    private static func look(_ host: String) -> [Address] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [Address] = []
        var entry = unsafe found
        while let present = unsafe entry, addresses.count < most {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = unsafe present.pointee.ai_addrlen
            if unsafe getnameinfo(
                present.pointee.ai_addr, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0,
                let address = Address(
                    String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            {
                addresses.append(address)
            }
            unsafe entry = present.pointee.ai_next
        }
        return addresses
    }
}
