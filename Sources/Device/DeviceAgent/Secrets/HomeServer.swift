package import Foundation

/// The server this device is enrolled with, and the certificates by which it is known.
package struct HomeServer: Sendable {
    private let url: String
    private let roots: [Data]

    package init(url: String, roots: [Data]) {
        self.url = url
        self.roots = roots
    }

    /// By what an address is trusted: the server's own by its certificates, any other by the system's, which is none here.
    package func roots(for address: String) -> [Data] { has(address) ? roots : [] }

    /// Whether an address is the server's own.
    package func has(_ address: String) -> Bool {
        guard let one = URLComponents(string: address), let other = URLComponents(string: url) else { return false }
        return one.scheme == "https" && one.host == other.host && one.port ?? 443 == other.port ?? 443
    }
}
