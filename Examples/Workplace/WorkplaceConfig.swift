import ManagedAppSpecification

/// Everything an administrator can configure.
@ManagedConfiguration
struct WorkplaceConfig {
    /// What the app says when it opens.
    @Key(length: 1...200, default: "Welcome") let greeting: String

    /// The organization's name and motto.
    ///
    /// Without it the app shows its own name.
    let brand: Brand?

    /// What the person does.
    ///
    /// It decides which tabs the app has. `${person.department}` takes it from the person of each device.
    let role: Role?

    /// The tabs that everybody in the organization has.
    @Key(count: ...10, unique: true, default: [Feature]()) let features: [Feature]

    /// The service that tells people how their device fares: an https URL.
    @Key(title: "Management service", pattern: "^https://.+$", examples: ["https://fleet.example.com/"])
    let managementService: String?

    /// The identifier of a certificate, one of the app's secrets.
    ///
    /// With it the app trusts only a management service that this authority vouches for; without it, those that the
    /// system trusts.
    @Key(title: "Authority of the management service", length: 1...) let managementAuthority: String?

    /// Only an app with a management service has use for its authority.
    static let conditions: [ConfigurationCondition] = [.when("managementAuthority", requires: ["managementService"])]
}

/// How the app presents itself.
@ManagedConfiguration
struct Brand {
    /// The organization's name, shown in place of the app's.
    @Key(length: 1...100) let name: String

    /// A line below the name.
    @Key(length: 1...200) let motto: String?
}

/// What a person does in the organization.
enum Role: String, CaseIterable, ConfigurationValue {
    case sales, engineering

    var tabs: [Tab] {
        switch self {
        case .sales: [.customers, .quotes]
        case .engineering: [.machines, .drawings]
        }
    }
}

/// A tab that does not depend on what a person does.
enum Feature: String, CaseIterable, ConfigurationValue {
    case news, canteen

    var tab: Tab { self == .news ? .news : .canteen }
}

extension WorkplaceConfig {
    /// What administrators need to know; `specification.json` is made of it, and a test fails when the two differ.
    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                WorkplaceConfig.self, app: "com.example.workplace", version: "1.0", title: "Workplace",
                description: "An organization's own app, in its colors, with the tabs that each person's role needs.",
                platforms: ["linux": nil],
                secrets: [
                    .identity(ManagementService.identity, purpose: "To prove this app to the management service.")
                ],
                samples: [
                    PublishedSample(
                        "A sales team",
                        json: #"{"brand": {"name": "North"}, "role": "sales", "features": ["news"]}"#)
                ])
        }
    }
}
