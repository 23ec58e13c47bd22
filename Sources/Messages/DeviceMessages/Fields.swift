import Foundation
import InputBounds

/// What a document is made of, as far as its fields are read alike: JSON or a property list.
protocol FieldValue {
    /// The entries of the outermost value.
    var entries: [String: Self]? { get }
    /// What is said of a document that has none.
    static var notEntries: InputRefusal { get }

    var string: String? { get }
    var bool: Bool? { get }
    var int: Int? { get }
    var double: Double? { get }
    var array: [Self]? { get }
}

extension JSONValue: FieldValue {
    var entries: [String: JSONValue]? { object }
    static var notEntries: InputRefusal { InputRefusal("the document is not an object") }
}

extension PropertyListValue: FieldValue {
    var entries: [String: PropertyListValue]? { dictionary }
    static var notEntries: InputRefusal { InputRefusal("the message is not a dictionary") }
}

typealias JSONFields = Fields<JSONValue>
typealias MessageFields = Fields<PropertyListValue>

/// Reads the keys of a document; a refusal names the key, never its value.
struct Fields<Value: FieldValue> {
    let entries: [String: Value]

    init(_ value: Value) throws(InputRefusal) {
        guard let entries = value.entries else { throw Value.notEntries }
        self.entries = entries
    }

    func value(_ key: String) throws(InputRefusal) -> Value {
        try present(entries[key], key)
    }

    func string(_ key: String, limit: Int = 4096) throws(InputRefusal) -> String {
        try present(stringIfPresent(key, limit: limit), key)
    }

    func stringIfPresent(_ key: String, limit: Int = 4096) throws(InputRefusal) -> String? {
        guard let value = entries[key] else { return nil }
        guard let text = value.string else { throw InputRefusal("the key \(key) is not a string") }
        guard text.utf8.count <= limit else { throw InputRefusal("the key \(key) is too long") }
        return text
    }

    func bool(_ key: String) throws(InputRefusal) -> Bool {
        try present(boolIfPresent(key), key)
    }

    func boolIfPresent(_ key: String) throws(InputRefusal) -> Bool? {
        guard let value = entries[key] else { return nil }
        guard let flag = value.bool else { throw InputRefusal("the key \(key) is not a boolean") }
        return flag
    }

    func int(_ key: String) throws(InputRefusal) -> Int {
        try present(intIfPresent(key), key)
    }

    func intIfPresent(_ key: String) throws(InputRefusal) -> Int? {
        guard let value = entries[key] else { return nil }
        guard let number = value.int else { throw InputRefusal("the key \(key) is not an integer") }
        return number
    }

    func array(_ key: String) throws(InputRefusal) -> [Value] {
        try present(arrayIfPresent(key), key)
    }

    func arrayIfPresent(_ key: String) throws(InputRefusal) -> [Value]? {
        guard let value = entries[key] else { return nil }
        guard let items = value.array else { throw InputRefusal("the key \(key) is not an array") }
        return items
    }

    func stringsIfPresent(_ key: String) throws(InputRefusal) -> [String]? {
        guard let items = try arrayIfPresent(key) else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(items.count)
        for item in items {
            guard let text = item.string else { throw InputRefusal("the key \(key) does not hold strings") }
            strings.append(text)
        }
        return strings
    }

    private func present<Found>(_ found: Found?, _ key: String) throws(InputRefusal) -> Found {
        guard let found else { throw InputRefusal("the key \(key) is missing") }
        return found
    }
}

extension Fields<JSONValue> {
    func objectIfPresent(_ key: String) throws(InputRefusal) -> [String: JSONValue]? {
        guard let value = entries[key] else { return nil }
        guard let object = value.object else { throw InputRefusal("the key \(key) is not an object") }
        return object
    }
}

extension Fields<PropertyListValue> {
    func data(_ key: String) throws(InputRefusal) -> Data {
        try present(dataIfPresent(key), key)
    }

    func dataIfPresent(_ key: String) throws(InputRefusal) -> Data? {
        guard let value = entries[key] else { return nil }
        guard let data = value.data else { throw InputRefusal("the key \(key) is not data") }
        return data
    }
}
