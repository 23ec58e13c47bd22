package import InputBounds

/// How one declaration fares on a device.
package struct DeclarationStatus: Hashable, Sendable {
    package enum Validity: String, Hashable, Sendable, Codable {
        /// Not checked yet.
        case unknown
        case valid
        case invalid
    }

    package var identifier: String
    package var serverToken: String
    package var active: Bool
    package var valid: Validity
    package var reasons: [StatusReason]

    package init(
        identifier: String, serverToken: String, active: Bool, valid: Validity, reasons: [StatusReason] = []
    ) {
        self.identifier = identifier
        self.serverToken = serverToken
        self.active = active
        self.valid = valid
        self.reasons = reasons
    }

    package init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        identifier = try fields.string("identifier", limit: 256)
        serverToken = try fields.string("server-token", limit: 256)
        active = try fields.bool("active")
        guard let valid = Validity(rawValue: try fields.string("valid", limit: 64)) else {
            throw InputRefusal("the key valid has an unknown value")
        }
        self.valid = valid
        reasons = try StatusReason.list(fields, "reasons")
    }

    package var value: JSONValue {
        var entries: [String: JSONValue] = [
            "identifier": .string(identifier), "server-token": .string(serverToken), "active": .boolean(active),
            "valid": .string(valid.rawValue),
        ]
        if !reasons.isEmpty { entries["reasons"] = .array(reasons.map { $0.value() }) }
        return .object(entries)
    }
}

/// The status item `management.declarations`: the present lists, by kind.
package struct DeclarationStatuses: Hashable, Sendable {
    package static let name = "management.declarations"

    package var activations: [DeclarationStatus]
    package var configurations: [DeclarationStatus]
    package var assets: [DeclarationStatus]
    package var management: [DeclarationStatus]

    package init(
        activations: [DeclarationStatus] = [], configurations: [DeclarationStatus] = [],
        assets: [DeclarationStatus] = [], management: [DeclarationStatus] = []
    ) {
        self.activations = activations
        self.configurations = configurations
        self.assets = assets
        self.management = management
    }

    package init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        activations = try Self.list(fields, "activations")
        configurations = try Self.list(fields, "configurations")
        assets = try Self.list(fields, "assets")
        management = try Self.list(fields, "management")
    }

    package var value: JSONValue {
        .object([
            "activations": .array(activations.map(\.value)), "configurations": .array(configurations.map(\.value)),
            "assets": .array(assets.map(\.value)), "management": .array(management.map(\.value)),
        ])
    }

    package subscript(kind: DeclarationKind) -> [DeclarationStatus] {
        switch kind {
        case .activation: activations
        case .asset: assets
        case .configuration: configurations
        case .management: management
        }
    }

    private static func list(_ fields: JSONFields, _ key: String) throws(InputRefusal) -> [DeclarationStatus] {
        var statuses: [DeclarationStatus] = []
        for item in try fields.arrayIfPresent(key) ?? [] { statuses.append(try DeclarationStatus(item)) }
        return statuses
    }
}
