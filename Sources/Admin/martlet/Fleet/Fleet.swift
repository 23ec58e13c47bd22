package import Foundation
package import InputBounds

/// What one thing of the fleet is like.
package struct FleetItem: Sendable, Equatable {
    /// Key by key, as far as it is compared and may be shown: of a secret never its value.
    package var facts: PropertyListValue
    /// How the server marks what it has now; nothing where the directory speaks, or where nothing can change but be gone.
    package var tag: String?
    /// What has to be there for it.
    package var needs: [FleetThing]

    package init(_ facts: PropertyListValue = .dictionary([:]), tag: String? = nil, needs: [FleetThing] = []) {
        self.facts = facts
        self.tag = tag
        self.needs = needs
    }
}

/// What a server has.
package typealias FleetState = [FleetThing: FleetItem]

/// What a directory says that a server is to have.
package struct FleetWish: Sendable {
    package var items: [FleetThing: FleetItem] = [:]
    /// Of what the directory speaks as a whole: what is not in it is to go, if that is asked for.
    package var parts: Set<FleetPart> = []
    /// What is sent to make a thing so; secrets are fetched when they are sent.
    package var bodies: [FleetThing: Data] = [:]
    package var secrets: [String: SecretEntry] = [:]
    /// Configurations in JSON whose apps publish nothing in the directory: what their texts mean may say the server.
    package var undated: [FleetThing: JSONValue] = [:]

    package init() {}

    /// Reads configurations in JSON anew, by what the server keeps of their apps.
    mutating func readConfigurations(by server: Server) async throws {
        for (app, things) in Dictionary(grouping: undated.keys, by: \.app) {
            guard let app else { continue }
            let published = try await PublishedKeys.of(app, at: server)
            for thing in things {
                guard let value = undated[thing] else { continue }
                let document = try ConfigurationDocument(value, keys: published.keys(for: value))
                items[thing]?.facts = try PropertyListValue(parsing: document.bytes, limits: .configuration)
                bodies[thing] = document.bytes
            }
        }
    }

    /// Whether the directory would have the thing if it were to be there.
    package func covers(_ thing: FleetThing) -> Bool {
        switch thing.kind {
        case .team: parts.contains(.teams)
        case .group, .groupRule: parts.contains(.groups)
        case .secret: parts.contains(.secrets)
        case .setting, .settingAssignment: parts.contains(.settings)
        case .expectedDevice: parts.contains(.expectedDevices)
        case .app: parts.contains(.apps)
        case .specification, .source, .configuration, .assignment, .secretAssignment:
            // An app's folder describes the whole app.
            parts.contains(.apps) || thing.app.map { items[.app($0)] != nil } ?? false
        }
    }
}

/// The parts of a directory.
package enum FleetPart: String, CaseIterable, Sendable, Codable {
    case apps, groups, secrets, settings, teams
    case expectedDevices = "expected-devices"
}
