import ManagedAppSpecification

/// Everything an administrator can configure.
@ManagedConfiguration
struct LicensingConfig {
    /// The developer's license server: an https URL.
    @Key(title: "License server", pattern: "^https://.+$", examples: ["https://license.example.com/license"])
    let licenseServer: String?

    /// The organization's license token, for those who have no license key yet.
    @Key(title: "License token", length: 1...) let licenseToken: String?

    /// The identifier of a certificate, one of the app's secrets.
    ///
    /// With it the app believes only servers that this authority vouches for; without, those that the system
    /// trusts.
    @Key(title: "Whom to believe", length: 1...) let licenseAuthority: String?

    /// A token or an authority needs a server.
    static let conditions: [ConfigurationCondition] = [
        .when("licenseToken", requires: ["licenseServer"]), .when("licenseAuthority", requires: ["licenseServer"]),
    ]
}

extension LicensingConfig {
    /// What administrators need to know; `specification.json` is made of it, and a test fails when the two differ.
    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                LicensingConfig.self, app: "com.example.licensing", version: "1.0", title: "Licensing",
                description: "An app that its developer licenses to organizations.", platforms: ["linux": nil],
                secrets: [
                    .identity(LicenseRequest.key, purpose: "The license key, of which each device has its own."),
                    .password(
                        LicenseRequest.deviceToken,
                        purpose: "The license token of a device, where each has its own and no license key."),
                ],
                samples: [
                    PublishedSample(
                        "With a token, until all devices have license keys",
                        json: #"{"licenseServer": "https://license.example.com/license", "licenseToken": "A1B2C3"}"#)
                ])
        }
    }
}
