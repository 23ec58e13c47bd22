import AppSpecification
import InputBounds

/// A type whose values are configured as those of another, such as one of several places by its number.
///
/// ```swift
/// extension Landmark: ConfigurationConvertible {
///     static var shape: ConfigurationShape { Int.shape.choices(all.map { ($0.id, $0.name) }) }
///     var configured: Int { id }
///     init?(configured id: Int) { … }
/// }
/// ```
public protocol ConfigurationConvertible: ConfigurationValue {
    /// What an administrator writes.
    associatedtype Configured: ConfigurationValue

    /// What an administrator writes for this value.
    var configured: Configured { get }

    /// The value that is meant; nil if none is. The configuration is then refused, by the key's own `refusal` if it has one.
    init?(configured: Configured)
}

extension ConfigurationConvertible {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { Configured.shape.refusing(.form) }

    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { configured.configuredValue }

    /// Reads a value of a property list.
    public init(configuredBy decoder: any Decoder) throws {
        guard let value = Self(configured: try Configured(configuredBy: decoder)) else {
            throw Self.shape.key.choices == nil
                ? ConfigurationRuleError(.form, "must be of the form that is asked for")
                : ConfigurationRuleError(.choice, "must be one of the values that are listed")
        }
        self = value
    }
}

extension ConfigurationShape {
    /// One of these values alone, for each of which people are shown a title.
    public func choices<Value: ConfigurationValue>(_ choices: [(value: Value, title: String?)]) -> ConfigurationShape {
        var shape = self
        shape.key.choices = choices.map { value, title in
            SpecifiedChoice(value: JSONValue(describing: value.configuredValue.list), title: title)
        }
        return shape
    }

    /// What `@Key` can say of a key, said of every value of a type: a range, a pattern, how many there are.
    public func annotated(_ annotation: KeyAnnotation) -> ConfigurationShape {
        var shape = refusing(.form)
        annotation.apply(&shape.key)
        return shape
    }

    func refusing(_ kind: ConfigurationRuleError.Kind) -> ConfigurationShape {
        var shape = self
        shape.inside.insert(kind)
        return shape
    }
}
