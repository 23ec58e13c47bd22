/// Where a webhook may lead: the public network, and what the operator names beside it.
///
/// It is asked for the address that is about to be connected to, not for the name: what a name stands for can change between
/// the look and the connection.
package struct AddressPolicy: Sendable, Equatable {
    /// Networks that are not public and may be reached all the same.
    package var allowed: [NetworkRange]
    /// Whether events may travel in the clear to these networks; to this machine itself they always may.
    package var allowsPlainHTTP: Bool

    package init(allowed: [NetworkRange] = [], allowsPlainHTTP: Bool = false) {
        self.allowed = allowed
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Whether an address of 4 or 16 bytes may be connected to.
    package func mayReach(_ address: [UInt8], inTheClear: Bool) -> Bool {
        let address = Self.inner(address)
        let isNamed = allowed.contains { $0.contains(address) }
        if inTheClear {
            return isNamed && (allowsPlainHTTP || NetworkRange.loopback.contains { $0.contains(address) })
        }
        return isNamed || Self.isPublic(address)
    }

    /// An address of version 4 that is written as one of version 6 is what it stands for.
    private static func inner(_ address: [UInt8]) -> [UInt8] {
        guard address.count == 16 else { return address }
        let prefixes: [[UInt8]] = [
            Array(repeating: 0, count: 10) + [0xff, 0xff],
            // NAT64, RFC 6052.
            [0, 0x64, 0xff, 0x9b] + Array(repeating: 0, count: 8),
        ]
        return prefixes.contains(Array(address.prefix(12))) ? Array(address.suffix(4)) : address
    }

    private static func isPublic(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: !special4.contains { $0.contains(address) }
        // Of version 6 only 2000::/3 is given out, and of that some is not for the public.
        case 16: global6.contains(address) && !special6.contains { $0.contains(address) }
        default: false
        }
    }

    // IANA's registries of special-purpose addresses.
    private static let special4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { NetworkRange(parsing: $0) }
    private static let global6 = NetworkRange([0x20] + Array(repeating: 0, count: 15), prefix: 3)
    private static let special6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
        .compactMap { NetworkRange(parsing: $0) }
}
