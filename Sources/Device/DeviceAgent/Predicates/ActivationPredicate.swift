import InputBounds
import Patterns

/// The condition of an activation, in the part of NSPredicate's format strings that this agent evaluates.
///
/// Any server may write one. Reading it takes time that grows with its length, evaluating it has a budget, and what is
/// not evaluated here is refused by its name when it is read.
package struct ActivationPredicate: Sendable {
    /// Bytes of the longest text.
    package static let longest = 16_384

    /// Why a text is no predicate, or none that this agent evaluates.
    package struct Refusal: Error, Hashable, Sendable {
        /// How many characters stand before the fault.
        package let place: Int
        package let rule: String

        package var sentence: String { "\(rule) (after \(place) characters)" }
    }

    /// Something that a predicate asks for by its name.
    package enum Item: Hashable, Sendable {
        /// A status item of the device.
        case status(String)
        /// A key of `com.apple.management.properties`.
        case property(String)

        package var text: String {
            switch self {
            case .status(let name): "@status(\(name))"
            case .property(let name): "@property(\(name))"
            }
        }
    }

    let condition: Condition

    /// Reads the text of a predicate.
    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.longest else {
            throw Refusal(place: 0, rule: "a predicate may have at most \(Self.longest) bytes")
        }
        var parser = PredicateParser(try PredicateReader.tokens(of: text), end: text.unicodeScalars.count)
        condition = try parser.parse()
    }
}

extension ActivationPredicate {
    /// What has to hold.
    indirect enum Condition: Sendable {
        case constant(Bool)
        case not(Condition)
        case all([Condition])
        case any([Condition])
        case comparison(Comparison)
    }

    /// One comparison of two values.
    struct Comparison: Sendable {
        /// What of the left value is compared.
        enum Scope: Sendable {
            /// The value itself.
            case value
            /// Its elements, of which one, each or none has to pass.
            case someElement, eachElement, noElement
        }

        let scope: Scope
        let left: Term
        let test: Test
        let ignoresCase: Bool
        let right: Term
    }

    /// A value, or the name of one.
    enum Term: Sendable {
        case literal(JSONValue)
        case item(Item)

        var literal: JSONValue? {
            if case .literal(let value) = self { value } else { nil }
        }
    }

    /// How two values are compared.
    enum Test: Sendable {
        case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
        case isIn, contains, beginsWith, endsWith
        case between(JSONValue, JSONValue)
        case like([Unicode.Scalar])
        case matches(Pattern)
    }
}
