import InputBounds

/// Reads the keys of a JSON object; a refusal names the key, never its value.
struct JSONFields {
    let entries: [String: JSONValue]

    init(_ value: JSONValue) throws(InputRefusal) {
        guard let entries = value.object else { throw InputRefusal("the document is not an object") }
        self.entries = entries
    }

    func value(_ key: String) throws(InputRefusal) -> JSONValue {
        guard let value = entries[key] else { throw InputRefusal("the key \(key) is missing") }
        return value
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

    func boolIfPresent(_ key: String) throws(InputRefusal) -> Bool? {
        guard let value = entries[key] else { return nil }
        guard let flag = value.bool else { throw InputRefusal("the key \(key) is not a boolean") }
        return flag
    }

    func bool(_ key: String) throws(InputRefusal) -> Bool {
        guard let flag = try boolIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        return flag
    }

    func intIfPresent(_ key: String) throws(InputRefusal) -> Int? {
        guard let value = entries[key] else { return nil }
        guard let number = value.int else { throw InputRefusal("the key \(key) is not an integer") }
        return number
    }

    func objectIfPresent(_ key: String) throws(InputRefusal) -> [String: JSONValue]? {
        guard let value = entries[key] else { return nil }
        guard let object = value.object else { throw InputRefusal("the key \(key) is not an object") }
        return object
    }

    func arrayIfPresent(_ key: String) throws(InputRefusal) -> [JSONValue]? {
        guard let value = entries[key] else { return nil }
        guard let items = value.array else { throw InputRefusal("the key \(key) is not an array") }
        return items
    }

    func array(_ key: String) throws(InputRefusal) -> [JSONValue] {
        guard let items = try arrayIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
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
}
