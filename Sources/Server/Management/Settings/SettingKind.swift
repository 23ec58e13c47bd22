package import Foundation
package import InputBounds

/// What becomes of settings of one kind that several groups of a device are assigned.
package enum SettingCombination: String, Sendable {
    /// The device is given each of them.
    case all
    /// The device is given the one whose assignment has the greatest rank.
    case highest
}

/// The facts about an accepted payload, for people.
package struct SettingFacts: Sendable, Equatable {
    /// What is in it, in a line.
    package let summary: String
    package let warnings: [String]

    package init(summary: String, warnings: [String] = []) {
        self.summary = summary
        self.warnings = warnings
    }
}

/// A kind of setting: its payload, the devices that take it, and the declarations made from it.
///
/// Everything in it is a pure function; one more kind is one more value in `all`.
package struct SettingKind: Sendable {
    /// Its name in addresses and on the command line; never changes.
    package let name: String
    package let title: String
    /// What devices do with it, in a sentence for people.
    package let purpose: String
    /// The JSON Schema of a payload.
    package let schema: JSONValue
    package let combination: SettingCombination
    /// The types of its configurations: a device that has not said that it takes them all is not given the setting.
    package let types: Set<String>
    /// Whether it concerns the whole machine: a device that belongs to a person is not given it.
    package let isForOwnedDevices: Bool
    /// Takes a payload at a moment, or says which rule it breaks.
    package let judge: @Sendable (JSONValue, Date) -> Outcome<SettingFacts, AdminRefusal>
    /// The declarations for the setting with this name and payload; nil for a payload that was not accepted.
    package let declarations: @Sendable (String, JSONValue) -> SettingDeclarations?

    package init(
        name: String, title: String, purpose: String, schema: JSONValue, combination: SettingCombination,
        types: Set<String>, isForOwnedDevices: Bool = false,
        judge: @escaping @Sendable (JSONValue, Date) -> Outcome<SettingFacts, AdminRefusal>,
        declarations: @escaping @Sendable (String, JSONValue) -> SettingDeclarations?
    ) {
        self.name = name
        self.title = title
        self.purpose = purpose
        self.schema = schema
        self.combination = combination
        self.types = types
        self.isForOwnedDevices = isForOwnedDevices
        self.judge = judge
        self.declarations = declarations
    }

    /// Every kind that there is.
    package static let all: [SettingKind] = [.rootCertificate, .loginMessage]

    /// The kind of this name, if there is one.
    package static func named(_ name: String) -> SettingKind? { all.first { $0.name == name } }

    /// The types of configurations by which any kind is given: of those that a device takes, only these are kept.
    package static let types: Set<String> = all.reduce(into: []) { $0.formUnion($1.types) }
}

/// The declarations of a setting.
package struct SettingDeclarations: Sendable, Equatable {
    package struct Configuration: Sendable, Equatable {
        package let type: String
        package let identifier: String
        package let payload: [String: JSONValue]

        package init(type: String, identifier: String, payload: [String: JSONValue]) {
            self.type = type
            self.identifier = identifier
            self.payload = payload
        }
    }

    /// A file that a configuration refers to; devices download it as they do configurations of apps, since nothing in a
    /// setting is secret.
    package struct Asset: Sendable, Equatable {
        package let type: String
        package let identifier: String
        package let mediaType: String
        package let bytes: Data

        package init(type: String, identifier: String, mediaType: String, bytes: Data) {
            self.type = type
            self.identifier = identifier
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    package let configurations: [Configuration]
    package let assets: [Asset]

    package init(configurations: [Configuration], assets: [Asset] = []) {
        self.configurations = configurations
        self.assets = assets
    }
}
