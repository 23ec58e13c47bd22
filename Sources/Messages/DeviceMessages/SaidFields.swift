import Foundation
import InputBounds

/// Reads what a peer says of itself and nobody decides by: nothing in it refuses the message.
///
/// A text that is too long is cut, a value of another type is read as what it stands for or left out, and each is noted.
/// What names an enrollment, a command or a rule is read by `Fields`, which refuses.
struct SaidFields<Value: FieldValue> {
    let fields: Fields<Value>
    private(set) var oddities: Oddities

    init(_ fields: Fields<Value>, _ oddities: Oddities = Oddities()) {
        self.fields = fields
        self.oddities = oddities
    }

    var entries: [String: Value] { fields.entries }

    /// A text of at most `limit` bytes; a number is read as its digits.
    mutating func text(_ key: String, limit: Int) -> String? {
        guard let value = entries[key] else { return nil }
        if let text = value.string {
            if text.utf8.count > limit { note("is longer than \(limit) bytes and was cut", key) }
            return text.cut(toBytes: limit)
        }
        note("is not a string", key)
        return value.int.map { "\($0)" } ?? value.double.map { "\($0)" }
    }

    /// A name of a kind; one that breaks its rule is none.
    mutating func name(_ key: String, _ rule: NameRule) -> String? {
        guard let value = entries[key] else { return nil }
        guard let text = value.string else {
            note("is not a string", key)
            return nil
        }
        guard !text.isEmpty else { return nil }
        if let broken = rule.brokenRule(by: text) {
            note(broken, key)
            return nil
        }
        return text
    }

    /// A boolean; a number is true unless it is 0, a text where it says so.
    mutating func flag(_ key: String) -> Bool? {
        guard let value = entries[key] else { return nil }
        if let flag = value.bool { return flag }
        note("is not a boolean", key)
        if let number = value.int { return number != 0 }
        switch value.string?.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: return nil
        }
    }

    /// An integer; a text is read as the digits it holds.
    mutating func int(_ key: String) -> Int? {
        guard let value = entries[key] else { return nil }
        if let number = value.int { return number }
        note("is not an integer", key)
        return value.string.flatMap { Int($0) } ?? value.double.flatMap { Int(exactly: $0) }
    }

    /// The items of an array; of another value none.
    mutating func items(_ key: String) -> [Value] {
        guard let value = entries[key] else { return [] }
        if let items = value.array { return items }
        note("is not an array", key)
        return []
    }

    /// The entries of the value under a key; of another value none.
    mutating func members(_ key: String) -> [String: Value]? {
        guard let value = entries[key] else { return nil }
        if let members = value.entries { return members }
        note("is no dictionary", key)
        return nil
    }

    /// Notes why something at a place is left out or read in another way.
    mutating func note(at place: String, _ rule: String) { oddities.add(rule, at: place) }

    mutating func add(_ others: Oddities, under place: String) { oddities.add(others, under: place) }

    private mutating func note(_ rule: String, _ key: String) { oddities.add("the key \(key) \(rule)", at: key) }
}

extension SaidFields<PropertyListValue> {
    /// Bytes, of which there are at most `limit`.
    mutating func data(_ key: String, limit: Int) -> Data? {
        guard let value = entries[key] else { return nil }
        guard let data = value.data else {
            note("is not data", key)
            return nil
        }
        guard data.count <= limit else {
            note("is longer than \(limit) bytes", key)
            return nil
        }
        return data
    }
}

extension SaidFields<JSONValue> {
    /// The reasons that can be read; reasons have lower-case keys, except inside a report's `Errors`.
    mutating func reasons(_ key: String, capitalised: Bool = false) -> [StatusReason] {
        var reasons: [StatusReason] = []
        for (index, item) in items(key).enumerated() {
            do throws(InputRefusal) {
                reasons.append(try StatusReason(item, capitalised: capitalised))
            } catch {
                note(at: "\(key)[\(index)]", error.rule)
            }
        }
        return reasons
    }
}
