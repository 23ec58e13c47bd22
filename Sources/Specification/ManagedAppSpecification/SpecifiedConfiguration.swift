package import AppSpecification
import InputBounds
import JSONSchema
import ManagedApp

/// Makes a struct's decoder, and what it publishes, out of its properties.
///
/// ```swift
/// @ManagedConfiguration
/// struct NotesConfiguration {
///     /// Where notes are kept.
///     @Key(pattern: "^https://") var serverURL: URL?
///
///     /// How often notes are fetched, in minutes.
///     @Key(range: 5...120) var syncMinutes: Int = 15
/// }
/// ```
///
/// The properties' documentation is what administrators read. A property that is optional or has a default may be left
/// out. The decoder ignores keys it does not know, and refuses with the key and the rule that was broken.
@attached(member, names: named(init(from:)), named(specifiedProperties), named(configuredValue))
@attached(extension, conformances: SpecifiedConfiguration)
public macro ManagedConfiguration() =
    #externalMacro(module: "ManagedAppSpecificationMacros", type: "ManagedConfigurationMacro")

/// A struct that holds everything an administrator configured; ``ManagedConfiguration()`` makes it one.
public protocol SpecifiedConfiguration: ConfigurationValue, Decodable {
    /// The keys, in order.
    static var specifiedProperties: SpecifiedProperties { get }

    /// What has to hold between keys.
    static var conditions: [ConfigurationCondition] { get }

    /// What no rule can say: throws the app's own error. Called when all keys have been read.
    func validate() throws
}

extension SpecifiedConfiguration {
    /// Asks for nothing.
    public static var conditions: [ConfigurationCondition] { [] }

    /// Finds nothing wrong.
    public func validate() throws {}

    /// What such a value is in a property list.
    public static var shape: ConfigurationShape {
        let (properties, conditions) = (specifiedProperties, conditions)
        let names = Set(properties.keys.map(\.name))
        for name in conditions.flatMap(\.names) {
            precondition(names.contains(name), "a condition names the key \(name), which is not there")
        }
        var shape = ConfigurationShape(.dictionary) {
            $0.keys = properties.keys
            $0.conditions = conditions.map(\.schema)
        }
        shape.inside = properties.kinds
        if conditions.contains(where: \.hasRuleError) { shape.inside.insert(.condition) }
        return shape
    }
}

/// One property of a configuration.
public struct SpecifiedProperty: Sendable {
    let key: SpecifiedKey
    let defaultValue: (any ConfigurationValue)?
    let refusal: (any ManagedAppConfigurationDecodingError)?
    /// The rules of which a value is refused, where the app's own error does not say it.
    let kinds: Set<ConfigurationRuleError.Kind>

    /// Describes a property that has a type, and perhaps a default.
    public init<Value: ConfigurationValue>(
        _ name: String, _ type: Value.Type, isOptional: Bool = false, default value: Value? = nil,
        documentation: String? = nil, _ annotation: KeyAnnotation = KeyAnnotation()
    ) {
        var shape = Value.shape
        var key = shape.key
        key.name = name
        key.description = documentation
        key.isRequired = !isOptional && value == nil
        key.defaultValue = value.map { JSONValue(describing: $0.configuredValue.list) }
        annotation.apply(&key)
        shape.key = key
        self.key = key
        refusal = annotation.refusal
        kinds = refusal == nil ? shape.kinds : []
        defaultValue = value
    }
}

/// The properties of a configuration, and the rules for their values.
public struct SpecifiedProperties: Sendable {
    let properties: [SpecifiedProperty]
    let rules: [JSONSchema]

    /// Gathers properties in their order.
    public init(_ properties: [SpecifiedProperty]) {
        self.properties = properties
        rules = properties.map { property in
            do {
                return try JSONSchema(.object(property.key.schema))
            } catch {
                // What the app itself says of the key is wrong: its first test shows it.
                preconditionFailure("the key \(property.key.name): \(error)")
            }
        }
    }

    var kinds: Set<ConfigurationRuleError.Kind> { properties.reduce(into: []) { $0.formUnion($1.kinds) } }

    package var keys: [SpecifiedKey] {
        properties.enumerated().map { index, property in
            var key = property.key
            key.order = key.order ?? index + 1
            return key
        }
    }

    /// The dictionary of such values, in the properties' order.
    public func value(of values: (any ConfigurationValue)?...) -> ConfiguredValue {
        var entries: [String: PropertyListValue] = [:]
        for (property, value) in zip(properties, values) { entries[property.key.name] = value?.configuredValue.list }
        return ConfiguredValue(.dictionary(entries))
    }
}

/// Reads a configuration's properties.
public struct ConfigurationReader {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>
    private let properties: SpecifiedProperties

    /// Prepares to read a dictionary.
    public init(_ decoder: any Decoder, _ properties: SpecifiedProperties) throws {
        container = try decoder.container(keyedBy: Name.self)
        self.properties = properties
    }

    /// The value of a property that has to be there or has a default.
    public func value<Value: ConfigurationValue>(_ index: Int) throws -> Value {
        if let value: Value = try valueIfPresent(index) { return value }
        let property = properties.properties[index]
        if let value = property.defaultValue as? Value { return value }
        let key = Name(stringValue: property.key.name)
        throw DecodingError.keyNotFound(
            key, DecodingError.Context(codingPath: container.codingPath, debugDescription: "the key is missing"))
    }

    /// The value of a property that may be missing.
    public func valueIfPresent<Value: ConfigurationValue>(_ index: Int) throws -> Value? {
        do {
            return try checkedValue(index)
        } catch let error as ConfigurationRuleError {
            throw properties.properties[index].refusal ?? error
        }
    }

    /// Holds what is there, without defaults, against what has to hold between keys.
    public func check(_ conditions: [ConfigurationCondition], in value: ConfiguredValue) throws {
        guard !conditions.isEmpty, case .dictionary(let entries) = value.list else { return }
        let given = entries.filter { container.contains(Name(stringValue: $0.key)) }
        for condition in conditions {
            guard let (key, error) = condition.breach(in: .dictionary(given)) else { continue }
            // The administrator sees the last place that the decoder read, so read this key.
            _ = container.contains(Name(stringValue: key))
            throw error
        }
    }

    private func checkedValue<Value: ConfigurationValue>(_ index: Int) throws -> Value? {
        let key = Name(stringValue: properties.properties[index].key.name)
        guard let value = try container.decodeIfPresent(Configured<Value>.self, forKey: key)?.value else { return nil }
        let broken = properties.rules[index].violations(of: value.configuredValue.list, most: 1).first
        if let broken {
            let place = broken.path.steps.isEmpty ? "" : " (at \(broken.path))"
            throw ConfigurationRuleError(ConfigurationRuleError.Kind(broken.rule), broken.allowed + place)
        }
        return value
    }
}
