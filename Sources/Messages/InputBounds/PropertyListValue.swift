package import Foundation

/// A property list in memory, its types kept apart.
///
/// Two values are equal when they mean the same: an integer is an integer however it was stored, and one
/// not-a-number equals another. Integers and reals never equal each other.
package enum PropertyListValue: Sendable {
    case string(String)
    case integer(Int64)
    /// Only for integers above `Int64.max`; readers never produce smaller ones.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    /// Reads an XML or binary property list within `limits`; refusals of XML name the place.
    package init(parsing data: Data, limits: InputLimits) throws(InputRefusal) {
        guard data.count <= limits.bytes else { throw InputRefusal("the property list is larger than allowed") }
        let bytes = data.span
        switch PropertyListScan.form(of: bytes) {
        case .binary:
            let list = try BinaryPropertyList(bytes, limits: limits)
            try list.check(bytes, limits: limits)
            self = try list.value(bytes)
        case .xml:
            var reader = XMLPropertyListReader(limits: limits)
            var builder = PropertyListBuilder()
            do throws(InputRefusal) {
                try reader.read(bytes, into: &builder)
            } catch {
                let place = InputPlace(of: reader.token, in: bytes, steps: builder.steps)
                throw InputRefusal(error.rule, at: place)
            }
            self = try builder.finished()
        }
    }

    /// An integer, signed where it fits.
    package static func number(_ magnitude: UInt64) -> PropertyListValue {
        if let signed = Int64(exactly: magnitude) { return .integer(signed) }
        return .unsigned(magnitude)
    }
}

extension PropertyListValue {
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// An integer that fits `Int`.
    package var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A real, or an integer read as one.
    package var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    package var bool: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    package var date: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    package var data: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    package var array: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value under `key` of a dictionary; nothing when this is no dictionary.
    package subscript(key: String) -> PropertyListValue? {
        if case .dictionary(let value) = self { value[key] } else { nil }
    }
}

extension PropertyListValue: Hashable {
    package static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.string(let one), .string(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.unsigned(let one), .unsigned(let other)): one == other
        case (.integer(let one), .unsigned(let other)), (.unsigned(let other), .integer(let one)): one == other
        case (.real(let one), .real(let other)): one == other || (one.isNaN && other.isNaN)
        case (.boolean(let one), .boolean(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(Int64(truncatingIfNeeded: value))
        case .real(let value): hasher.combine(value.isNaN ? .nan : value)
        case .boolean(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension PropertyListValue: Codable {
    /// Reads whichever type the decoder finds.
    ///
    /// Decoders blur types: Foundation's give whole reals as integers, and JSON has neither data nor dates. Where the
    /// types must stay apart, parse the bytes.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: PropertyListValue].self) {
            self = .dictionary(value)
        } else if let value = try? container.decode([PropertyListValue].self) {
            self = .array(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else {
            self = .data(try container.decode(Data.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}
