import JSONSchema
public import ManagedApp

/// With which a configuration is refused that breaks a rule of its specification.
///
/// Key and rule reach the administrator; the value does not. A missing key and a wrong type are `DecodingError`s, which
/// the system has codes for.
public struct ConfigurationRuleError: ManagedAppConfigurationDecodingError, Sendable {
    /// The code of the kind of rule.
    public var code: ManagedAppConfigurationDecodingErrorCode
    /// The rule that was broken.
    public var message: String

    /// Which kind of rule; its raw value is the error's code, and part of every specification that has such a rule.
    package enum Kind: Int, CaseIterable, Sendable {
        case choice = 9_001
        case range
        case length
        case pattern
        case count
        case repetition
        case date
        case size
        case form
        case condition

        init(_ rule: SchemaRule) {
            switch rule {
            case .enum, .const: self = .choice
            case .multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum: self = .range
            case .maxLength, .minLength: self = .length
            case .pattern: self = .pattern
            case .maxItems, .minItems, .maxProperties, .minProperties: self = .count
            case .uniqueItems: self = .repetition
            case .earliest, .latest: self = .date
            case .minBytes, .maxBytes: self = .size
            default: self = .form
            }
        }
    }

    package init(_ kind: Kind, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: kind.rawValue) else {
            preconditionFailure("these codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }
}
