import Foundation
package import InputBounds
package import JSONSchema

/// Why a value in JSON has no form in a property list of this specification.
package struct ValueRefusal: Error, Hashable, Sendable {
    package let path: InstancePath
    package let rule: String
}

extension SpecifiedKey {
    /// The property list that JSON means here: where a key is a date or data, their texts are.
    package func propertyList(_ value: JSONValue) throws(ValueRefusal) -> PropertyListValue {
        try propertyList(value, InstancePath())
    }

    private func propertyList(_ value: JSONValue, _ path: InstancePath) throws(ValueRefusal) -> PropertyListValue {
        switch (value, type) {
        case (.string(let text), .date):
            guard let date = PropertyListValue.date(parsing: text) else {
                throw ValueRefusal(path: path, rule: "a date is written YYYY-MM-DDThh:mm:ssZ")
            }
            return .date(date)
        case (.string(let text), .data):
            guard let data = Data(base64Encoded: text) else {
                throw ValueRefusal(path: path, rule: "data is written in base64")
            }
            return .data(data)
        case (.integer(let number), .real): return .real(Double(number))
        case (.array(let items), _):
            var list: [PropertyListValue] = []
            for (index, entry) in items.enumerated() {
                let inside = InstancePath(path.steps + [.index(index)])
                list.append(try (item.first ?? SpecifiedKey("", .any)).propertyList(entry, inside))
            }
            return .array(list)
        case (.object(let entries), _):
            var dictionary: [String: PropertyListValue] = [:]
            for (name, entry) in entries {
                let inside = InstancePath(path.steps + [.key(name)])
                let key = self[name] ?? values.first ?? SpecifiedKey(name, .any)
                dictionary[name] = try key.propertyList(entry, inside)
            }
            return .dictionary(dictionary)
        default:
            do {
                return try PropertyListValue(json: value)
            } catch {
                throw ValueRefusal(path: path, rule: error.rule)
            }
        }
    }

    /// Every key inside, lists' items included, with where it stands; what a list holds is named `[]`, what
    /// lies under any other key `*`.
    package var descendants: [(path: String, key: SpecifiedKey)] {
        var result: [(path: String, key: SpecifiedKey)] = []
        gatherDescendants(below: "", into: &result)
        return result
    }

    private func gatherDescendants(below path: String, into result: inout [(path: String, key: SpecifiedKey)]) {
        for key in keys {
            let place = path.isEmpty ? key.name : path + "." + key.name
            result.append((place, key))
            key.gatherDescendants(below: place, into: &result)
        }
        let unnamed = item.map { (path + "[]", $0) } + values.map { (path.isEmpty ? "*" : path + ".*", $0) }
        for (place, key) in unnamed {
            result.append((place, key))
            key.gatherDescendants(below: place, into: &result)
        }
    }
}
