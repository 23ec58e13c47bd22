import Foundation

extension JSONValue {
    /// The value that a document describes; bytes are Base64 text.
    ///
    /// Made for messages that were read within limits: what Foundation's decoder would read a second time is here already.
    package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONPlace(self, []).decode(type)
    }
}

/// One place in a document, as a type reads itself from it.
private struct JSONPlace: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, _ codingPath: [any CodingKey]) {
        (self.value, self.codingPath) = (value, codingPath)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JSONMembers(members: try found(value.object), codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        JSONItems(items: try found(value.array), codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try found(value.bool) }
    func decode(_ type: String.Type) throws -> String { try found(value.string) }

    func decode<Number: BinaryFloatingPoint & Decodable>(_ type: Number.Type) throws -> Number {
        Number(try found(value.double))
    }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard case .integer(let number) = value else { return try found(nil) }
        return try found(Number(exactly: number))
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard type == Data.self else { return try Value(from: self) }
        let bytes = Data(base64Encoded: try decode(String.self))
        guard let bytes = bytes as? Value else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "bytes are Base64"))
        }
        return bytes
    }

    func found<Value>(_ value: Value?) throws -> Value {
        if let value { return value }
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "a value of another type")
        throw self.value.isNull
            ? DecodingError.valueNotFound(Value.self, context) : DecodingError.typeMismatch(Value.self, context)
    }
}

/// The members of an object.
private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try place(key).value.isNull }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try place(key).decode(type) }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> {
        try place(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try place(JSONKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try place(key) }

    private func place(_ key: any CodingKey) throws -> JSONPlace {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "a member is missing"))
        }
        return JSONPlace(value, codingPath + [key])
    }
}

/// The items of an array, one after the other.
private struct JSONItems: UnkeyedDecodingContainer {
    let items: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(items: [JSONValue], codingPath: [any CodingKey]) {
        (self.items, self.codingPath) = (items, codingPath)
    }

    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    mutating func decodeNil() throws -> Bool {
        guard try next().value.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take { try $0.decode(type) }
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }

    private func next() throws -> JSONPlace {
        let path = codingPath + [JSONKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: path, debugDescription: "an item is missing"))
        }
        return JSONPlace(items[currentIndex], path)
    }

    private mutating func take<Result>(_ read: (JSONPlace) throws -> Result) throws -> Result {
        let result = try read(next())
        currentIndex += 1
        return result
    }
}

/// A place that no type named.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
