import Glibc

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address.
package struct NetworkRange: Sendable, Equatable {
    private let bytes: [UInt8]
    private let prefix: Int

    init(_ bytes: [UInt8], prefix: Int) {
        (self.bytes, self.prefix) = (bytes, prefix)
    }

    /// Reads a range; bits behind its prefix must be zero, so that nobody means another one.
    package init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let bytes = Self.address(String(first)) else { return nil }
        let longest = bytes.count * 8
        var prefix = longest
        if parts.count == 2 {
            guard let number = Int(parts[1]), parts[1].allSatisfy(\.isASCII), (0...longest).contains(number),
                parts[1].first != "+"
            else { return nil }
            prefix = number
        }
        self.init(bytes, prefix: prefix)
        guard (prefix..<longest).allSatisfy({ bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) == 0 }) else { return nil }
    }

    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        return (0..<prefix).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return address[bit / 8] & mask == bytes[bit / 8] & mask
        }
    }

    /// This machine itself.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { NetworkRange(parsing: $0) }

    /// The bytes of an address as it is written, of either version.
    package static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
        }
        var six = in6_addr()
        if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            return unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
        }
        return nil
    }
}
