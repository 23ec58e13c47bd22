package import InputBounds

/// Turns a configuration written as JSON into the property list that devices get.
///
/// Numbers written without fraction and exponent become integers, all others reals. What has no exact form in a
/// property list is refused with the key path of the place, never guessed.
package enum PropertyListFromJSON {
    package static func convert(_ value: JSONValue) throws(Failure) -> PropertyListValue {
        guard case .object = value else {
            throw refusal("the outermost value of a configuration is an object", at: [])
        }
        return try convert(value, at: [])
    }

    private static func convert(_ value: JSONValue, at path: [String]) throws(Failure) -> PropertyListValue {
        switch value {
        case .null:
            throw refusal("a property list has no null", at: path, advice: "Leave the key out.")
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .real(let value):
            // Beyond 63 bits the JSON reader keeps a whole number as a real, which may have lost digits.
            guard value != value.rounded() || abs(value) < 0x1p63 else {
                throw refusal(
                    "a whole number does not fit 64 bits", at: path,
                    advice: "Write the configuration as a property list, where <real> and large integers are apart.")
            }
            return .real(value)
        case .string(let text):
            try check(text, at: path)
            return .string(text)
        case .array(let elements):
            var converted: [PropertyListValue] = []
            for (index, element) in elements.enumerated() {
                converted.append(try convert(element, at: path + ["[\(index)]"]))
            }
            return .array(converted)
        case .object(let members):
            var converted: [String: PropertyListValue] = [:]
            // In order, so that the same document always names the same place.
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                try check(key, at: path)
                converted[key] = try convert(member, at: path + [key])
            }
            return .dictionary(converted)
        }
    }

    /// XML has no form for most control characters.
    private static func check(_ text: String, at path: [String]) throws(Failure) {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) }) else {
            throw refusal("a text holds a control character, for which property lists have no form", at: path)
        }
    }

    private static func refusal(_ rule: String, at path: [String], advice: String? = nil) -> Failure {
        var place = ""
        for step in path { place += step.hasPrefix("[") || place.isEmpty ? step : "." + step }
        return Failure(.refused, path.isEmpty ? rule : "\(rule) (key path: \(place))", advice: advice)
    }
}
