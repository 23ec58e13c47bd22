import Foundation
import ManagedApp
import ManagedAppSpecification

// Samples of the guide to designing a configuration: it quotes them, and tests show what is said of them.

// MARK: Kilobytes, not megabytes

@ManagedConfiguration
struct CatalogueInside {
    /// Everything that is on sale.
    let products: [Data]?
}

@ManagedConfiguration
struct CatalogueBounded {
    /// What is shown first, by number; the app knows the rest.
    @Key(count: ...50, default: [Int]()) let featured: [Int]
}

// MARK: What is large is downloaded

@ManagedConfiguration
struct MapsInside {
    /// The maps of the site, a picture each.
    let maps: [String: Data]?
}

@ManagedConfiguration
struct MapsElsewhere {
    /// Where the maps of the site are; the app fetches them again when this changes.
    @Key(pattern: "^https://.+$", examples: ["https://maps.example.com/site.json"]) let mapsURL: URL?
}

// MARK: One option, one part of the app

@ManagedConfiguration
struct OneSwitch {
    /// Hides sharing, forces a passcode, turns on synchronization and changes the colors.
    @Key(default: false) let isManaged: Bool
}

@ManagedConfiguration
struct OneOptionEach {
    /// Whether notes can be shared with people outside.
    @Key(default: true) let allowsSharing: Bool

    /// After how many minutes the app asks for its passcode again; 0 is never.
    @Key(range: 0...60, default: 0) let passcodeMinutes: Int

    /// Where notes are synchronized to; without it they stay on the device.
    @Key(pattern: "^https://.+$") let serverURL: URL?
}

// MARK: What the app does not know is ignored

struct RefusesTheUnknown: Decodable {
    let greeting: String?

    init(from decoder: any Decoder) throws {
        let all = try decoder.singleValueContainer().decode([String: String].self)
        guard all.keys.allSatisfy({ $0 == "greeting" }) else { throw UnknownKey() }
        greeting = all["greeting"]
    }

    struct UnknownKey: Error {}
}

@ManagedConfiguration
struct IgnoresTheUnknown {
    /// What the app says.
    let greeting: String?
}

// MARK: What to offer

@ManagedConfiguration
struct WhatTheCodeHas {
    let cacheFlushThreshold: Int?
}

@ManagedConfiguration
struct WhatPeopleWish {
    /// Whom people call for help; shown on the first page.
    @Key(examples: ["+1 555 0100"]) let helpDesk: String?

    /// The site whose notes are shown first.
    @Key(examples: ["${person.department}"]) let site: String?
}
