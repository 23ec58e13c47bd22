import Foundation
import InputBounds

/// Keywords about values of no parts.
extension SchemaCompiler {
    mutating func valueRules(
        _ keywords: [String: JSONValue], at place: String
    ) throws(SchemaRefusal) -> (rules: [SchemaNode.Rule], types: SchemaTypes?) {
        var rules: [SchemaNode.Rule] = []
        let types = try types(keywords, at: place)
        if let types, keeps(.type) { rules.append(.type(types)) }
        try addValues(keywords, at: place, to: &rules)
        try addNumbers(keywords, at: place, to: &rules)
        try addTexts(keywords, at: place, to: &rules)
        return (rules, types)
    }

    private func types(_ keywords: [String: JSONValue], at place: String) throws(SchemaRefusal) -> SchemaTypes? {
        guard let value = keywords["type"] else { return nil }
        let words = if let word = value.string { [word] } else { try strings(value, at: place + "/type") }
        var types = SchemaTypes()
        for word in words {
            guard let type = SchemaTypes(word: word) else { throw refusal(place + "/type", "a type is not known") }
            types.insert(type)
        }
        if types.contains(.integer), keywords["maximum"]?.double ?? 0 >= 0x1p63 { types.insert(.large) }
        guard types.contains(.string) else { return types }
        if keywords["format"]?.string == "date-time" {
            types.remove(.string)
            types.insert(.date)
        } else if keywords["contentEncoding"]?.string == "base64" {
            types.remove(.string)
            types.insert(.data)
        }
        return types
    }

    private func addValues(
        _ keywords: [String: JSONValue], at place: String, to rules: inout [SchemaNode.Rule]
    ) throws(SchemaRefusal) {
        if let value = keywords["enum"] {
            guard let items = value.array else { throw refusal(place + "/enum", "is no list") }
            if keeps(.enum) { rules.append(oneOf(items, .enum)) }
        }
        if let value = keywords["const"], keeps(.const) { rules.append(oneOf([value], .const)) }
    }

    private func oneOf(_ values: [JSONValue], _ rule: SchemaRule) -> SchemaNode.Rule {
        let listed = values.prefix(12).map { value in
            Self.short(value.string.map { "\"\($0)\"" } ?? String(decoding: value.encoded(), as: UTF8.self))
        }
        let more = values.count > listed.count ? [" and \(values.count - listed.count) more"] : []
        return .oneOfValues(
            Set(values.map { CanonicalValue($0, asTexts: true) }), rule, words: values.compactMap(\.string),
            listing: listed.joined(separator: ", ") + more.joined())
    }

    /// What is listed in a sentence for people.
    private static func short(_ text: String) -> String {
        text.utf8.count <= 200 ? text : String(text.unicodeScalars.prefix(50)) + "…"
    }

    private func addNumbers(
        _ keywords: [String: JSONValue], at place: String, to rules: inout [SchemaNode.Rule]
    ) throws(SchemaRefusal) {
        for rule in [SchemaRule.multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum] {
            guard let value = keywords[rule.rawValue] else { continue }
            let number = try number(value, at: place + "/" + rule.rawValue)
            guard rule != .multipleOf || .integer(0) < number else {
                throw refusal(place + "/multipleOf", "is not above 0")
            }
            if keeps(rule) { rules.append(.number(rule, number)) }
        }
    }

    private mutating func addTexts(
        _ keywords: [String: JSONValue], at place: String, to rules: inout [SchemaNode.Rule]
    ) throws(SchemaRefusal) {
        for rule in [SchemaRule.minLength, .maxLength] {
            guard let value = keywords[rule.rawValue] else { continue }
            let length = try count(value, at: place + "/" + rule.rawValue)
            if keeps(rule) { rules.append(.length(rule, length)) }
        }
        if let value = keywords["pattern"] {
            guard let source = value.string else { throw refusal(place + "/pattern", "is no text") }
            let pattern = try pattern(source, at: place + "/pattern")
            if keeps(.pattern) { rules.append(.pattern(pattern)) }
        }
        for rule in [SchemaRule.earliest, .latest] {
            guard let value = keywords[rule.rawValue] else { continue }
            guard let date = value.string.flatMap({ PropertyListValue.date(parsing: $0) }) else {
                throw refusal(place + "/" + rule.rawValue, "is no date of the form YYYY-MM-DDThh:mm:ssZ")
            }
            if keeps(rule) { rules.append(.date(rule, date)) }
        }
        for rule in [SchemaRule.minBytes, .maxBytes] {
            guard let value = keywords[rule.rawValue] else { continue }
            let bytes = try count(value, at: place + "/" + rule.rawValue)
            if keeps(rule) { rules.append(.bytes(rule, bytes)) }
        }
    }
}
