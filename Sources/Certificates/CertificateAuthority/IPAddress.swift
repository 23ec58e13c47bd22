import Foundation

/// An IP address as it stands in a certificate: 4 or 16 octets.
struct IPAddress: Equatable {
    let bytes: [UInt8]

    /// Reads the usual text of an IPv4 or IPv6 address; anything else is nil.
    init?(_ text: String) {
        var octets = [UInt8](repeating: 0, count: 16)
        let family = text.contains(":") ? AF_INET6 : AF_INET
        guard unsafe inet_pton(family, text, &octets) == 1 else { return nil }
        bytes = family == AF_INET6 ? octets : Array(octets.prefix(4))
    }
}
