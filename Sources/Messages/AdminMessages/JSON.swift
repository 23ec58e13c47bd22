/// Any JSON value, for the places where the administrator's API passes on what it does not interpret.
///
/// Whole numbers stay exact from -2^63 to 2^64 - 1; every other number is a `Double`.
package enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The member of an object, or nothing for every other kind of value.
    package subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// The text of a string, or nothing for every other kind of value.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a whole number that fits, or nothing for every other kind of value.
    package var number: Int? {
        guard case .integer(let number) = self else { return nil }
        return Int(exactly: number)
    }
}

extension JSON: Codable {
    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var members: [String: JSON] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSON.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else {
            self = .real(try container.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (name, value) in members { try container.encode(value, forKey: AnyKey(stringValue: name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .boolean(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .real(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }

    /// A member name that is whatever the JSON says it is.
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
