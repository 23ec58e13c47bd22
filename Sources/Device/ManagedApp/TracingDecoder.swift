/// A decoder that notes each place it comes to, and otherwise is the one below it.
struct TracingDecoder: Decoder {
    let base: any Decoder
    let trace: PathTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracingKeyedContainer(base: try base.container(keyedBy: type), trace: trace))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.unkeyedContainer(), trace: trace)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TracingSingleValueContainer(base: try base.singleValueContainer(), trace: trace)
    }
}

private struct TracingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let trace: PathTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool {
        trace.touch(codingPath + [key])
        return base.contains(key)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try trace.visit(codingPath + [key]) { try base.decodeNil(forKey: key) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try trace.visit(codingPath + [key]) { try base.decode(PathTrace.Traced<Value>.self, forKey: key).value }
    }

    // The scalars are asked for by name.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }

    private func scalar<Value>(_ key: Key, _ decode: () throws -> Value) throws -> Value {
        try trace.visit(codingPath + [key], decode)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try trace.visit(codingPath + [key]) {
            KeyedDecodingContainer(
                TracingKeyedContainer<NestedKey>(
                    base: try base.nestedContainer(keyedBy: type, forKey: key), trace: trace))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try trace.visit(codingPath + [key]) {
            TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), trace: trace)
        }
    }

    func superDecoder() throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(), trace: trace)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try trace.visit(codingPath + [key]) { TracingDecoder(base: try base.superDecoder(forKey: key), trace: trace) }
    }
}

private struct TracingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let trace: PathTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    private var place: [any CodingKey] { codingPath + [Index(intValue: currentIndex)] }

    mutating func decodeNil() throws -> Bool {
        trace.touch(place)
        return try base.decodeNil()
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try trace.visit(place) { try base.decode(PathTrace.Traced<Value>.self).value }
    }

    // The scalars are asked for by name.
    mutating func decode(_ type: Bool.Type) throws -> Bool { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try trace.visit(place) { try base.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try trace.visit(place) { try base.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try trace.visit(place) {
            KeyedDecodingContainer(
                TracingKeyedContainer<NestedKey>(base: try base.nestedContainer(keyedBy: type), trace: trace))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try trace.visit(place) { TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(), trace: trace) }
    }

    mutating func superDecoder() throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(), trace: trace)
    }

    private struct Index: CodingKey {
        let index: Int

        var stringValue: String { "\(index)" }
        var intValue: Int? { index }

        init(intValue: Int) { index = intValue }

        init?(stringValue: String) { return nil }
    }
}

private struct TracingSingleValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let trace: PathTrace

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    // The scalars go straight down: their own `init(from:)` asks for this very container.
    func decode(_ type: Bool.Type) throws -> Bool { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: String.Type) throws -> String { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Double.Type) throws -> Double { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Float.Type) throws -> Float { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Int.Type) throws -> Int { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Int8.Type) throws -> Int8 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Int16.Type) throws -> Int16 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Int32.Type) throws -> Int32 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: Int64.Type) throws -> Int64 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: UInt.Type) throws -> UInt { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try trace.visit(codingPath) { try base.decode(type) } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try trace.visit(codingPath) { try base.decode(type) } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try trace.visit(codingPath) { try base.decode(PathTrace.Traced<Value>.self).value }
    }
}
