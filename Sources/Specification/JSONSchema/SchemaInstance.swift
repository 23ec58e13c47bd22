package import Foundation
package import InputBounds

/// What a value is to a schema.
package enum InstanceView<Value> {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([Value])
    case object([String: Value])
}

/// A value that a schema can validate.
package protocol SchemaInstance: Sendable {
    var view: InstanceView<Self> { get }

    /// Whether dates and data are types of their own; elsewhere they are texts.
    static var isPropertyList: Bool { get }
}

extension JSONValue: SchemaInstance {
    package static var isPropertyList: Bool { false }

    package var view: InstanceView<JSONValue> {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .array(let value): .array(value)
        case .object(let value): .object(value)
        }
    }
}

extension PropertyListValue: SchemaInstance {
    package static var isPropertyList: Bool { true }

    package var view: InstanceView<PropertyListValue> {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .date(let value): .date(value)
        case .data(let value): .data(value)
        case .array(let value): .array(value)
        case .dictionary(let value): .object(value)
        }
    }
}

extension InstanceView {
    /// What it is, for people; never its content.
    package var name: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .unsigned: "an integer above 63 bits"
        case .real: "a real"
        case .string: "text"
        case .date: "a date"
        case .data: "data"
        case .array: "a list"
        case .object: "a dictionary"
        }
    }
}

extension InstanceView where Value: SchemaInstance {
    /// About how much there is to look at in it, counted in values and in pieces of sixteen bytes.
    var size: Int {
        switch self {
        case .string(let text): 1 + text.utf8.count / 16
        case .data(let data): 1 + data.count / 16
        case .array(let items): items.reduce(1) { $0 + $1.view.size }
        case .object(let entries): entries.reduce(1) { $0 + 1 + $1.key.utf8.count / 16 + $1.value.view.size }
        default: 1
        }
    }
}

/// A value by its meaning: 1 and 1.0 are one number.
enum CanonicalValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(SchemaNumber)
    case string(String)
    case date(Date)
    case data(Data)
    case array([CanonicalValue])
    case object([String: CanonicalValue])

    /// Reads a value; dates and data become the texts that a schema has for them, or stay what they are.
    init(_ value: some SchemaInstance, asTexts: Bool) {
        switch value.view {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .number(.integer(value))
        case .unsigned(let value): self = .number(SchemaNumber(value))
        case .real(let value): self = .number(SchemaNumber(value))
        case .string(let value): self = .string(value)
        case .date(let value): self = asTexts ? .string(PropertyListValue.text(of: value)) : .date(value)
        case .data(let value): self = asTexts ? .string(value.base64EncodedString()) : .data(value)
        case .array(let items): self = .array(items.map { CanonicalValue($0, asTexts: asTexts) })
        case .object(let entries): self = .object(entries.mapValues { CanonicalValue($0, asTexts: asTexts) })
        }
    }
}
