package import InputBounds

/// The status item `management.client-capabilities`: what a device understands.
package struct ClientCapabilities: Hashable, Sendable {
    package static let name = "management.client-capabilities"

    package var supportedVersions: [String]
    package var supportedFeatures: [String: JSONValue]
    /// Full type names by kind.
    package var declarations: [DeclarationKind: [String]]
    package var statusItems: [String]

    package init(
        supportedVersions: [String] = ["1.0.0"], supportedFeatures: [String: JSONValue] = [:],
        declarations: [DeclarationKind: [String]], statusItems: [String]
    ) {
        self.supportedVersions = supportedVersions
        self.supportedFeatures = supportedFeatures
        self.declarations = declarations
        self.statusItems = statusItems
    }

    package init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        supportedVersions = try fields.stringsIfPresent("supported-versions") ?? []
        supportedFeatures = try fields.objectIfPresent("supported-features") ?? [:]
        let payloads = try JSONFields(.object(try fields.objectIfPresent("supported-payloads") ?? [:]))
        let kinds = try JSONFields(.object(try payloads.objectIfPresent("declarations") ?? [:]))
        declarations = [:]
        for kind in DeclarationKind.allCases {
            if let types = try kinds.stringsIfPresent(Self.key(kind)) { declarations[kind] = types }
        }
        statusItems = try payloads.stringsIfPresent("status-items") ?? []
    }

    package var value: JSONValue {
        var kinds: [String: JSONValue] = [:]
        for (kind, types) in declarations { kinds[Self.key(kind)] = .array(types.map(JSONValue.string)) }
        return .object([
            "supported-versions": .array(supportedVersions.map(JSONValue.string)),
            "supported-features": .object(supportedFeatures),
            "supported-payloads": .object([
                "declarations": .object(kinds), "status-items": .array(statusItems.map(JSONValue.string)),
            ]),
        ])
    }

    private static func key(_ kind: DeclarationKind) -> String {
        switch kind {
        case .activation: "activations"
        case .asset: "assets"
        case .configuration: "configurations"
        case .management: "management"
        }
    }
}
