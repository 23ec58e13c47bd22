import AppSpecification
import InputBounds
import JSONSchema
public import ManagedApp

/// What has to hold between the keys of a configuration.
///
/// ```swift
/// static let conditions: [ConfigurationCondition] = [
///     .when("proxyHost", requires: ["proxyPort"]),
///     .when("mode", is: Mode.direct, excludes: ["proxyHost"]),
/// ]
/// ```
///
/// It is part of the specification, as `if` and `then` of JSON Schema, and the decoder holds configurations against it.
public struct ConfigurationCondition: Sendable {
    let schema: JSONValue
    let names: [String]
    private let key: String
    private let hasValue: Bool
    private let rule: JSONSchema
    private let refusal: (any ManagedAppConfigurationDecodingError)?

    /// Says what must be there and what must not where a key is there, or where it has a certain value.
    ///
    /// A key that is left out is none, whatever its default is.
    ///
    /// - Parameters:
    ///   - key: The key that matters.
    ///   - value: Its value where the condition counts; any if left out.
    ///   - others: The keys that must be there then.
    ///   - strangers: The keys that must not be there then.
    ///   - refusal: The app's own error for it, in place of one with the code 9010.
    /// - Returns: A condition, for ``SpecifiedConfiguration/conditions``.
    public static func when(
        _ key: String, is value: (any ConfigurationValue)? = nil, requires others: [String] = [],
        excludes strangers: [String] = [], refusal: (any ManagedAppConfigurationDecodingError)? = nil
    ) -> ConfigurationCondition {
        var condition: [String: JSONValue] = ["required": .array([.string(key)])]
        if let value {
            condition["properties"] = .object([
                key: .object(["const": JSONValue(describing: value.configuredValue.list)])
            ])
        }
        var consequence: [String: JSONValue] = [:]
        if !others.isEmpty { consequence["required"] = .array(others.map(JSONValue.string)) }
        if !strangers.isEmpty {
            consequence["properties"] = .object(
                Dictionary(strangers.map { ($0, .boolean(false)) }) { first, _ in first })
        }
        let schema = JSONValue.object(["if": .object(condition), "then": .object(consequence)])
        do {
            return ConfigurationCondition(
                schema: schema, names: [key] + others + strangers, key: key, hasValue: value != nil,
                rule: try JSONSchema(schema), refusal: refusal)
        } catch {
            // What the app itself says is wrong: its first test shows it.
            preconditionFailure("the condition on \(key): \(error)")
        }
    }

    /// Whether another error than the app's own says that it does not hold.
    var hasRuleError: Bool { refusal == nil }

    /// What is wrong with what was configured, and which key it concerns.
    func breach(in configuration: PropertyListValue) -> (key: String, error: any Error)? {
        guard let broken = rule.violations(of: configuration, most: 1).first,
            case .key(let name)? = broken.path.steps.first
        else { return nil }
        let why = hasValue ? "as \(key) is what it is" : "as \(key) is there"
        return (name, refusal ?? ConfigurationRuleError(.condition, "\(broken.path) \(broken.allowed), \(why)"))
    }
}
