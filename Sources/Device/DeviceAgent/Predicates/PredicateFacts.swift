package import DeviceMessages
package import InputBounds

/// What predicates are evaluated for: the device's status items, and the properties that the server declared.
///
/// Only status items that have one plain value and that no declaration changes count: with others an activation could
/// switch itself on and off without end.
package struct PredicateFacts: Sendable {
    package static let propertiesType = "com.apple.management.properties"

    private let status: [String: JSONValue]
    private var properties: [String: JSONValue] = [:]
    /// Keys to which several declarations give different values: none of them is chosen.
    private var disputed: Set<String> = []

    /// Gathers the facts; `status` has the device's status items that a report to this server may have.
    package init(_ declarations: [String: Declaration], status: [String: JSONValue] = [:]) {
        self.status = status
        for declaration in declarations.values where declaration.type == Self.propertiesType {
            for (key, value) in declaration.payload.object ?? [:] {
                if let other = properties.updateValue(value, forKey: key), other != value { disputed.insert(key) }
            }
        }
    }

    /// The value of an item; nothing if it is not known.
    func value(of item: ActivationPredicate.Item) -> JSONValue? {
        switch item {
        case .status(let name): status[name]
        case .property(let key): disputed.contains(key) ? nil : properties[key]
        }
    }

    /// Whether it is certain that the item has no value: the server's own set of declarations does not give it one.
    func hasNo(_ item: ActivationPredicate.Item) -> Bool {
        guard case .property(let key) = item else { return false }
        return properties[key] == nil
    }
}
