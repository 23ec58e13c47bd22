public import ManagedAppSpecification

/// What an administrator can configure of the extension.
@ManagedConfiguration
public struct TunnelProviderConfig {
    /// The gateway: an https URL.
    @Key(title: "Gateway", pattern: "^https://.+$", examples: ["https://gateway.example.com/"])
    public let gateway: String?

    /// The identifier of a certificate, one of the extension's secrets.
    ///
    /// With it the extension believes only a gateway that this authority vouches for; without, those that the
    /// system trusts.
    @Key(title: "Whom to believe", length: 1...) public let gatewayAuthority: String?
}

extension TunnelProviderConfig {
    /// The identifier under which an administrator provides the extension's identity.
    public static let identity = "tunnel"

    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                TunnelProviderConfig.self, app: "com.example.tunnel.provider", title: "Tunnel provider",
                description: "Comes to the organization's gateway.",
                secrets: [.identity(identity, purpose: "To prove to the gateway whose device this is.")])
        }
    }
}
