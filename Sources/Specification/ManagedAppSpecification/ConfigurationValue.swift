package import AppSpecification
public import Foundation
package import InputBounds

/// A type whose values an administrator can configure.
///
/// Numbers, `String`, `Bool`, `Date`, `Data`, `URL`, and lists and dictionaries of such conform. A struct conforms by
/// ``ManagedConfiguration()``, an enum by naming the protocol:
///
/// ```swift
/// enum Role: String, CaseIterable, ConfigurationValue { case staff, lead }
/// ```
///
/// and any other type by saying what it is configured as: ``ConfigurationConvertible``.
public protocol ConfigurationValue: Sendable {
    /// What such a value is in a property list.
    static var shape: ConfigurationShape { get }

    /// The value as it is configured.
    var configuredValue: ConfiguredValue { get }

    /// Reads a value of a property list.
    init(configuredBy decoder: any Decoder) throws
}

extension ConfigurationValue where Self: Decodable {
    /// Reads a value of a property list.
    public init(configuredBy decoder: any Decoder) throws { try self.init(from: decoder) }
}

/// What values of a type are in a property list.
public struct ConfigurationShape: Sendable {
    package var key: SpecifiedKey
    /// The rules of which a value may be refused that are not the key's own: those of what is inside it.
    var inside: Set<ConfigurationRuleError.Kind> = []

    /// All rules of which a value may be refused.
    var kinds: Set<ConfigurationRuleError.Kind> { inside.union(key.kinds) }

    package init(_ type: SpecifiedType, _ change: (inout SpecifiedKey) -> Void = { _ in }) {
        key = SpecifiedKey("", type)
        change(&key)
    }

    /// Something that holds values of other shapes.
    init(_ type: SpecifiedType, of inner: ConfigurationShape, at place: WritableKeyPath<SpecifiedKey, [SpecifiedKey]>) {
        self.init(type) { $0[keyPath: place] = [inner.key] }
        inside = inner.kinds
    }
}

/// A value of a property list.
public struct ConfiguredValue: Sendable {
    package let list: PropertyListValue

    package init(_ list: PropertyListValue) { self.list = list }
}

// MARK: Numbers

extension ConfigurationValue where Self: FixedWidthInteger {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape {
        // What every integer of a property list is, is no bound.
        ConfigurationShape(.integer) { key in
            if let least = Int64(exactly: Self.min), least > .min { key.bounds.minimum = .integer(least) }
            if let most = Int64(exactly: Self.max) {
                if most < .max { key.bounds.maximum = .integer(most) }
            } else {
                key.bounds.maximum = .real(Double(Self.max))
            }
        }
    }

    /// The value as it is configured.
    public var configuredValue: ConfiguredValue {
        ConfiguredValue(Int64(exactly: self).map(PropertyListValue.integer) ?? .number(UInt64(self)))
    }
}

extension Int: ConfigurationValue {}
extension Int8: ConfigurationValue {}
extension Int16: ConfigurationValue {}
extension Int32: ConfigurationValue {}
extension Int64: ConfigurationValue {}
extension UInt: ConfigurationValue {}
extension UInt8: ConfigurationValue {}
extension UInt16: ConfigurationValue {}
extension UInt32: ConfigurationValue {}
extension UInt64: ConfigurationValue {}

extension ConfigurationValue where Self: BinaryFloatingPoint {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.real) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.real(Double(self))) }
}

extension Double: ConfigurationValue {}
extension Float: ConfigurationValue {}

// MARK: The rest of what a property list holds

extension Bool: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.boolean) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.boolean(self)) }
}

extension String: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.string) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.string(self)) }
}

extension Date: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.date) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.date(self)) }

    /// A date of the property list's own: `Date` itself would read a number.
    public init(configuredBy decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Date.self)
    }
}

extension Data: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.data) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.data(self)) }

    /// Data of the property list's own: `Data` itself would read a list of numbers.
    public init(configuredBy decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Data.self)
    }
}

extension URL: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape {
        ConfigurationShape(.string) {
            $0.bounds.format = "uri"
            $0.bounds.minLength = 1
        }
    }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.string(absoluteString)) }

    /// A text: in a property list `URL` itself would read a dictionary.
    public init(configuredBy decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let url = URL(string: text) else {
            throw ConfigurationRuleError(.form, "must be a URL")
        }
        self = url
    }
}

extension Array: ConfigurationValue where Element: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.array, of: Element.shape, at: \.item) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.array(map(\.configuredValue.list))) }

    /// Reads a value of a property list.
    public init(configuredBy decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self = []
        while !container.isAtEnd { append(try container.decode(Configured<Element>.self).value) }
    }
}

/// Keys that the administrator chooses.
extension Dictionary: ConfigurationValue where Key == String, Value: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape { ConfigurationShape(.dictionary, of: Value.shape, at: \.values) }
    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { ConfiguredValue(.dictionary(mapValues(\.configuredValue.list))) }

    /// Reads a value of a property list.
    public init(configuredBy decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode([String: Configured<Value>].self).mapValues(\.value)
    }
}

/// One of several values.
extension ConfigurationValue where Self: RawRepresentable & CaseIterable, RawValue: ConfigurationValue {
    /// What such a value is in a property list.
    public static var shape: ConfigurationShape {
        var key = RawValue.shape.key
        key.choices = allCases.map {
            SpecifiedChoice(value: JSONValue(describing: $0.configuredValue.list), title: nil)
        }
        return ConfigurationShape(key.type) { $0 = key }
    }

    /// The value as it is configured.
    public var configuredValue: ConfiguredValue { rawValue.configuredValue }

    /// Reads a value of a property list.
    public init(configuredBy decoder: any Decoder) throws {
        let value = try RawValue(configuredBy: decoder)
        guard let one = Self(rawValue: value) else {
            throw ConfigurationRuleError(.choice, "must be one of " + Self.allowed)
        }
        self = one
    }

    private static var allowed: String {
        allCases.map { $0.configuredValue.list.string.map { "\"\($0)\"" } ?? "\($0.rawValue)" }.joined(separator: ", ")
    }
}

/// A value by way of ``ConfigurationValue/init(configuredBy:)``.
struct Configured<Value: ConfigurationValue>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(configuredBy: decoder) }
}
