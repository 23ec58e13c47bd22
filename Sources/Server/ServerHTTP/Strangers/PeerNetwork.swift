/// The address prefix by which a stranger's costs are counted.
///
/// A client with one IPv6 address of a network has all of them, and providers hand out sites of 65,536 networks: each
/// network has a bound, and so has its site.
package struct PeerNetwork: Hashable, Sendable {
    /// How many networks' worth of a bound one site may use.
    static let networksPerSite = 4

    /// An IPv4 address, or the first 64 bits of an IPv6 address in hexadecimal.
    package let network: String
    /// The same IPv4 address, or the first 48 bits.
    package let site: String

    /// Takes what `PeerAddress.text` makes of an address; connections without an address share one network.
    package init(_ text: String?) {
        network = text ?? ""
        site = network.contains(".") ? network : String(network.prefix(12))
    }

    private init(network: String, site: String) {
        self.network = network
        self.site = site
    }

    /// For a count of its own: what the network asks about one thing.
    func asking(about thing: String) -> PeerNetwork {
        PeerNetwork(network: "\(network) \(thing)", site: "\(site) \(thing)")
    }

    /// For a count of its own: whatever the address, the holder of one certificate.
    static func holder(ofCertificate fingerprint: some Sequence<UInt8>) -> PeerNetwork {
        let text = Hexadecimal.text(fingerprint)
        return PeerNetwork(network: text, site: text)
    }
}
