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
        var said = SaidFields(try JSONFields(value))
        try self.init(&said)
    }

    init(_ said: inout SaidFields<JSONValue>) throws(InputRefusal) {
        let fields = said.fields
        identifier = try fields.string("identifier", limit: 256)
        serverToken = try fields.string("server-token", limit: 256)
        active = try fields.bool("active")
        guard let valid = Validity(rawValue: try fields.string("valid", limit: 64)) else {
            throw InputRefusal("the key valid has an unknown value")
        }
        self.valid = valid
        reasons = said.reasons("reasons")
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

    /// Reads the lists; an item that cannot be read is left out of its list.
    package init(_ value: JSONValue) throws(InputRefusal) {
        self = try Self.read(value).value
    }

    /// The same, with the places that were read only in part.
    package static func read(_ value: JSONValue) throws(InputRefusal) -> LenientReading<DeclarationStatuses> {
        var said = SaidFields(try JSONFields(value))
        let statuses = DeclarationStatuses(
            activations: list(&said, "activations"), configurations: list(&said, "configurations"),
            assets: list(&said, "assets"), management: list(&said, "management"))
        return LenientReading(statuses, said.oddities)
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

    private static func list(_ said: inout SaidFields<JSONValue>, _ key: String) -> [DeclarationStatus] {
        var statuses: [DeclarationStatus] = []
        for (index, item) in said.items(key).enumerated() {
            let place = "\(key)[\(index)]"
            do throws(InputRefusal) {
                var part = SaidFields(try JSONFields(item))
                statuses.append(try DeclarationStatus(&part))
                said.add(part.oddities, under: place)
            } catch {
                said.note(at: place, error.rule)
            }
        }
        return statuses
    }
}
