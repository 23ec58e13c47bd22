package import Foundation
package import InputBounds

/// Names one version of the set of declarations a device should hold.
package struct SyncTokens: Hashable, Sendable {
    /// Longest allowed, in octets.
    package static let longest = 256

    /// Equal to the one the device processed last: nothing to do.
    package var declarationsToken: String
    /// Whole seconds; tells the newest set when several sources compete.
    package var timestamp: Date

    package init(declarationsToken: String, timestamp: Date) {
        self.declarationsToken = declarationsToken
        self.timestamp = timestamp
    }
}

/// The answer to `tokens`, and the data of the command that asks a device to synchronize.
package struct TokensResponse: Hashable, Sendable {
    package var syncTokens: SyncTokens

    package init(syncTokens: SyncTokens) {
        self.syncTokens = syncTokens
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let document = try JSONFields(JSONValue(parsing: data, limits: .message))
        let tokens = try JSONFields(try document.value("SyncTokens"))
        let token = try tokens.string("DeclarationsToken", limit: SyncTokens.longest)
        guard let timestamp = Timestamp.parse(try tokens.string("Timestamp", limit: 64)) else {
            throw InputRefusal("the key Timestamp is not a moment in UTC")
        }
        syncTokens = SyncTokens(declarationsToken: token, timestamp: timestamp)
    }

    package func encoded() -> Data {
        JSONValue.object([
            "SyncTokens": .object([
                "DeclarationsToken": .string(syncTokens.declarationsToken),
                "Timestamp": .string(Timestamp.text(syncTokens.timestamp)),
            ])
        ]).encoded()
    }
}

/// A declaration by name and version.
package struct ItemReference: Hashable, Sendable, Codable {
    package var identifier: String
    package var serverToken: String

    package init(identifier: String, serverToken: String) {
        self.identifier = identifier
        self.serverToken = serverToken
    }
}

/// The answer to `declaration-items`: every declaration meant for this device, and no other.
package struct DeclarationItems: Hashable, Sendable {
    package var activations: [ItemReference]
    package var configurations: [ItemReference]
    package var assets: [ItemReference]
    package var management: [ItemReference]
    package var declarationsToken: String

    package init(
        activations: [ItemReference] = [], configurations: [ItemReference] = [], assets: [ItemReference] = [],
        management: [ItemReference] = [], declarationsToken: String
    ) {
        self.activations = activations
        self.configurations = configurations
        self.assets = assets
        self.management = management
        self.declarationsToken = declarationsToken
    }

    /// The declarations of one kind.
    package subscript(kind: DeclarationKind) -> [ItemReference] {
        switch kind {
        case .activation: activations
        case .asset: assets
        case .configuration: configurations
        case .management: management
        }
    }

    /// Reads the document; an identifier that comes twice, in whatever kinds, is refused.
    package init(parsing data: Data) throws(InputRefusal) {
        let document = try JSONFields(JSONValue(parsing: data, limits: .message))
        let declarations = try JSONFields(try document.value("Declarations"))
        declarationsToken = try document.string("DeclarationsToken", limit: SyncTokens.longest)
        var seen: Set<String> = []
        activations = try Self.items(declarations, "Activations", &seen)
        configurations = try Self.items(declarations, "Configurations", &seen)
        assets = try Self.items(declarations, "Assets", &seen)
        management = try Self.items(declarations, "Management", &seen)
    }

    package func encoded() -> Data {
        JSONValue.object([
            "Declarations": .object([
                "Activations": Self.value(activations), "Configurations": Self.value(configurations),
                "Assets": Self.value(assets), "Management": Self.value(management),
            ]),
            "DeclarationsToken": .string(declarationsToken),
        ]).encoded()
    }

    private static func items(
        _ declarations: JSONFields, _ key: String, _ seen: inout Set<String>
    ) throws(InputRefusal) -> [ItemReference] {
        var items: [ItemReference] = []
        for value in try declarations.array(key) {
            let item = try JSONFields(value)
            let identifier = try item.string("Identifier", limit: Declaration.longestIdentifier)
            try Declaration.checkIdentifier(identifier)
            guard seen.insert(identifier).inserted else { throw InputRefusal("a declaration is listed twice") }
            let token = try item.string("ServerToken", limit: Declaration.longestIdentifier)
            items.append(ItemReference(identifier: identifier, serverToken: token))
        }
        return items
    }

    private static func value(_ items: [ItemReference]) -> JSONValue {
        .array(
            items.map {
                .object(["Identifier": .string($0.identifier), "ServerToken": .string($0.serverToken)])
            })
    }
}

/// Moments as the JSON documents write them: RFC 3339 in UTC, whole seconds.
enum Timestamp {
    static func text(_ date: Date) -> String {
        PropertyListValue.text(of: date)
    }

    /// Fractions of a second, which some servers write, are cut off.
    static func parse(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: "."), text.hasSuffix("Z") else {
            return PropertyListValue.date(parsing: text)
        }
        let fraction = text[text.index(after: point)...].dropLast()
        guard (1...9).contains(fraction.utf8.count), fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return PropertyListValue.date(parsing: text[..<point] + "Z")
    }
}
