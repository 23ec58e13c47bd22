import Foundation
package import InputBounds
package import JSONSchema

/// Why a value in JSON has no form in a property list of this specification.
package struct ValueRefusal: Error, Hashable, Sendable {
    package let path: InstancePath
    package let rule: String
    /// What to write instead, where the rule does not say it.
    package let advice: String?

    init(path: InstancePath, rule: String, advice: String? = nil) {
        (self.path, self.rule, self.advice) = (path, rule, advice)
    }
}

extension SpecifiedKey {
    /// The property list for a configuration in JSON; every reader of JSON uses this.
    ///
    /// Where a key is a date or data, their texts are; numbers that JSON has no form for are texts as
    /// `JSONValue(describing:)` writes them. Without a specification, a key of just any type, texts stay texts.
    package func propertyList(_ value: JSONValue) throws(ValueRefusal) -> PropertyListValue {
        try propertyList(value, InstancePath())
    }

    private func propertyList(_ value: JSONValue, _ path: InstancePath) throws(ValueRefusal) -> PropertyListValue {
        switch (value, type) {
        case (.string(let text), .date):
            guard let date = MomentText.date(text) else {
                throw ValueRefusal(
                    path: path, rule: "a date is written YYYY-MM-DDThh:mm:ssZ",
                    advice: MomentText.hasFraction(text) ? "A property list has dates in whole seconds." : nil)
            }
            return .date(date)
        case (.string(let text), .data):
            // Programs that write Base64 break its lines.
            let letters = text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let data = Data(base64Encoded: Data(letters)) else {
                throw ValueRefusal(path: path, rule: "data is written in base64")
            }
            return .data(data)
        case (.integer(let number), .real): return .real(Double(number))
        case (.string(let text), .integer) where UInt64(text).map({ $0 > UInt64(Int64.max) && "\($0)" == text }) == true:
            // Above 63 bits the reader of JSON would lose digits.
            return .number(UInt64(text) ?? 0)
        case (.string("nan"), .real): return .real(.nan)
        case (.string("infinity"), .real): return .real(.infinity)
        case (.string("-infinity"), .real): return .real(-.infinity)
        case (.string(let text), _):
            try refuseUnwritable(text, path)
            return .string(text)
        case (.real(let number), let type) where type != .real && number.magnitude >= 0x1p63:
            // As a whole number it may have lost digits already.
            throw ValueRefusal(
                path: path, rule: "a whole number does not fit 64 bits",
                advice: type == .integer
                    ? "Write it as a text, up to \"18446744073709551615\"."
                    : "Write the configuration as a property list, where <real> and large integers are apart.")
        case (.null, _):
            throw ValueRefusal(path: path, rule: "a property list has no null", advice: "Leave the key out.")
        case (.array(let items), _):
            var list: [PropertyListValue] = []
            for (index, entry) in items.enumerated() {
                let inside = InstancePath(path.steps + [.index(index)])
                list.append(try (item.first ?? SpecifiedKey("", .any)).propertyList(entry, inside))
            }
            return .array(list)
        case (.object(let entries), _):
            var dictionary: [String: PropertyListValue] = [:]
            // In order, so that the same document always names the same place.
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                try refuseUnwritable(name, path)
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

    /// XML has no form for most control characters.
    private func refuseUnwritable(_ text: String, _ path: InstancePath) throws(ValueRefusal) {
        guard !XMLWriter.canHold(text) else { return }
        throw ValueRefusal(path: path, rule: "a text holds a control character, for which property lists have no form")
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
