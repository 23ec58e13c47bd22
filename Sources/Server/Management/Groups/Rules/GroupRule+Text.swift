import InputBounds

extension GroupRule {
    /// As people write it, always in the same way: what `init(parsing:)` reads is this rule again.
    package var text: String {
        switch self {
        case .all(let rules): rules.map(\.part).joined(separator: " and ")
        case .any(let rules): rules.map(\.part).joined(separator: " or ")
        case .not(let rule): "not " + rule.part
        case .condition(let condition): condition.text
        }
    }

    /// As a part of another one.
    private var part: String {
        switch self {
        case .all, .any: "(\(text))"
        case .not, .condition: text
        }
    }
}

extension GroupCondition: CustomStringConvertible {
    package var description: String { text }

    /// As people write it.
    package var text: String {
        switch self {
        case .shard(let percent, let salt): "shard \(percent)% of \(RuleWord.written(salt))"
        case .fact(let fact, let test):
            [fact.text, test.sign, test.value.map(RuleWord.written)].compactMap { $0 }
                .joined(separator: " ")
        }
    }
}

extension GroupCondition.Test {
    /// The sign or the word between what is looked at and what it is compared with.
    fileprivate var sign: String? {
        switch self {
        case .present: nil
        case .equals: "="
        case .begins: RuleWord.begins.rawValue
        case .ends: RuleWord.ends.rawValue
        case .contains: RuleWord.contains.rawValue
        case .version(let order, _): order.rawValue
        }
    }
}

/// The words that mean something in a rule, and how texts are written beside them.
enum RuleWord: String, CaseIterable {
    case and, or, not, of, shard, begins, ends, contains

    /// A text as it stands in a rule: as it is where it is one word that means nothing, else in quotes.
    static func written(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.utf8.allSatisfy(isPlain) && RuleWord(rawValue: text) == nil
        guard !isPlain else { return text }
        let inside = text.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\"")
        return "\"" + inside + "\""
    }

    /// What a word may be made of.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
