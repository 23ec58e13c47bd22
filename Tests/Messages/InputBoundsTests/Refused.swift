import Foundation
import Testing

/// An input and the rule that refuses it.
struct Refused: Sendable, CustomTestStringConvertible {
    let input: Data
    let rule: String

    init(_ input: Data, _ rule: String) {
        self.input = input
        self.rule = rule
    }

    init(_ text: String, _ rule: String) {
        self.init(Data(text.utf8), rule)
    }

    var testDescription: String { "\(input.count) bytes: \(rule)" }
}
