/// The change that a merge patch (RFC 7396) makes to a member.
package enum Patched<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// The patch does not have the member.
    case stays
    /// The patch has `null`, which removes the member.
    case goes
    case becomes(Value)

    /// Becomes the value, or stays if it is nil.
    package init(said value: Value?) {
        switch value {
        case .some(let value): self = .becomes(value)
        case nil: self = .stays
        }
    }

    /// What leads from one value to the other, where nothing is none.
    package init(from before: Value?, to now: Value?) {
        switch now {
        case before: self = .stays
        case .some(let value): self = .becomes(value)
        case nil: self = .goes
        }
    }
}

extension Patched: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = try container.decodeNil() ? .goes : .becomes(container.decode(Value.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .stays:
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "what stays is not mentioned"))
        case .goes: try container.encodeNil()
        case .becomes(let value): try container.encode(value)
        }
    }
}

extension KeyedDecodingContainer {
    /// What a patch says of a member; one that is not there stays.
    func patched<Value: Codable & Hashable & Sendable>(_ key: Key) throws -> Patched<Value> {
        try contains(key) ? decode(Patched<Value>.self, forKey: key) : .stays
    }
}

extension KeyedEncodingContainer {
    /// Writes what a patch says of a member; one that stays is left out.
    mutating func encode<Value: Codable & Hashable & Sendable>(patched: Patched<Value>, _ key: Key) throws {
        if patched != .stays { try encode(patched, forKey: key) }
    }
}
