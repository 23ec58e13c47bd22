public import ManagedAppSpecification

/// What an administrator can configure of the app.
@ManagedConfiguration
public struct TunnelAppConfig {
    /// Whose network it is, for people.
    @Key(title: "Organization", length: 1...100) public let organization: String?
}

extension TunnelAppConfig {
    /// What administrators need to know of app and extension; `specification.json` is made of it, and a test fails when the
    /// two differ.
    public static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                TunnelAppConfig.self, app: "com.example.tunnel", version: "1.0", title: "Tunnel",
                description: "Shows whose tunnel it is. The extension builds it.", platforms: ["linux": nil],
                samples: [PublishedSample("A school", json: #"{"organization": "Forest School"}"#)],
                extensions: [try TunnelProviderConfig.specification])
        }
    }
}
