import Foundation
import InputBounds

/// Reads the keys of a message; a refusal names the key, never its value.
struct MessageFields {
    let entries: [String: PropertyListValue]

    init(_ value: PropertyListValue) throws(InputRefusal) {
        guard let entries = value.dictionary else { throw InputRefusal("the message is not a dictionary") }
        self.entries = entries
    }

    func string(_ key: String, limit: Int = 4096) throws(InputRefusal) -> String {
        guard let text = try stringIfPresent(key, limit: limit) else { throw InputRefusal("the key \(key) is missing") }
        return text
    }

    func stringIfPresent(_ key: String, limit: Int = 4096) throws(InputRefusal) -> String? {
        guard let value = entries[key] else { return nil }
        guard let text = value.string else { throw InputRefusal("the key \(key) is not a string") }
        guard text.utf8.count <= limit else { throw InputRefusal("the key \(key) is too long") }
        return text
    }

    func data(_ key: String) throws(InputRefusal) -> Data {
        guard let data = try dataIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        return data
    }

    func dataIfPresent(_ key: String) throws(InputRefusal) -> Data? {
        guard let value = entries[key] else { return nil }
        guard let data = value.data else { throw InputRefusal("the key \(key) is not data") }
        return data
    }

    func bool(_ key: String, default fallback: Bool = false) throws(InputRefusal) -> Bool {
        guard let value = entries[key] else { return fallback }
        guard let flag = value.bool else { throw InputRefusal("the key \(key) is not a boolean") }
        return flag
    }

    func int(_ key: String) throws(InputRefusal) -> Int {
        guard let value = try intIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        return value
    }

    func intIfPresent(_ key: String) throws(InputRefusal) -> Int? {
        guard let value = entries[key] else { return nil }
        guard let number = value.int else { throw InputRefusal("the key \(key) is not an integer") }
        return number
    }

    func arrayIfPresent(_ key: String) throws(InputRefusal) -> [PropertyListValue]? {
        guard let value = entries[key] else { return nil }
        guard let items = value.array else { throw InputRefusal("the key \(key) is not an array") }
        return items
    }

    func stringsIfPresent(_ key: String) throws(InputRefusal) -> [String]? {
        guard let items = try arrayIfPresent(key) else { return nil }
        var strings: [String] = []
        for item in items {
            guard let text = item.string else { throw InputRefusal("the key \(key) does not hold strings") }
            strings.append(text)
        }
        return strings
    }
}

/// The entries of a message being written; what is absent stays out.
struct MessageEntries {
    private(set) var entries: [String: PropertyListValue] = [:]

    mutating func set(_ key: String, _ text: String?) {
        if let text { entries[key] = .string(text) }
    }

    mutating func set(_ key: String, _ data: Data?) {
        if let data { entries[key] = .data(data) }
    }

    mutating func set(_ key: String, _ number: Int?) {
        if let number { entries[key] = .integer(Int64(number)) }
    }

    mutating func set(_ key: String, _ flag: Bool) {
        entries[key] = .boolean(flag)
    }

    mutating func set(_ key: String, _ value: PropertyListValue?) {
        if let value { entries[key] = value }
    }

    mutating func add(_ more: [String: PropertyListValue]) {
        entries.merge(more) { own, _ in own }
    }

    var value: PropertyListValue { .dictionary(entries) }
}
