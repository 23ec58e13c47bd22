import Foundation

/// Where a webhook's events go: an `https` URL, or an `http` one where the operator lets that be reached.
package struct WebhookAddress: Sendable, Equatable {
    package static let longest = 2_048

    package let text: String
    /// The name or address, without brackets, as a client reads it out of `text`: an internationalized name in its ASCII
    /// form (`xn--`), which is also the form that every resolver knows.
    package let host: String
    package let isPlain: Bool

    /// Reads an address.
    ///
    /// Checks the text of the address; the resolved address is judged at each connection.
    package init(parsing text: String, _ policy: AddressPolicy) throws(AdminRefusal) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.encodedHost, !host.isEmpty,
            // A name that is written in two ways could be judged in one and connected to in the other.
            !host.contains("%"), let url = parts.url,
            ["https", "http"].contains(parts.scheme), parts.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw .invalid(
                rule: """
                    A webhook's URL is https://host, with a port, a path and a query if need be; an internationalized \
                    host is written in its ASCII form (xn--).
                    """)
        }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            throw .invalid(rule: "A webhook's URL names no user and has no fragment.")
        }
        self.text = url.absoluteString
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        isPlain = parts.scheme == "http"
        if let literal = NetworkRange.address(self.host), !policy.mayReach(literal, inTheClear: isPlain) {
            throw .invalid(rule: Self.rule(isPlain))
        }
        if isPlain, !policy.allowsPlainHTTP, NetworkRange.address(self.host) == nil, self.host != "localhost" {
            throw .invalid(rule: Self.rule(true))
        }
    }

    /// An address whose parts are taken as they are; only `init(parsing:_:)` makes sure that they agree.
    init(text: String, host: String, isPlain: Bool) {
        (self.text, self.host, self.isPlain) = (text, host, isPlain)
    }

    private static func rule(_ isPlain: Bool) -> String {
        isPlain
            ? "Events go over plain http only to addresses that the operator of the server allows for it."
            : "The address is not public; the operator of the server can let webhooks reach it (--webhook-network)."
    }
}
