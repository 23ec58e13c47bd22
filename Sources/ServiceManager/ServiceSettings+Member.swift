import Foundation
package import InputBounds

extension ServiceSettings {
    /// What one setting may be, in the settings file and in its environment variable.
    ///
    /// A value of another type would otherwise have no effect: the service would start with its default.
    package struct Member: Sendable {
        /// What the text of a variable stands for.
        package enum Form: Sendable { case text, flag, number, list }

        /// What it must be in the file, in words that show what to write.
        let rule: String
        /// The same for the variable, where nothing is in quotes.
        let variableRule: String
        /// The same for an option, of which each has one part of a list.
        let optionRule: String
        let form: Form
        let takes: @Sendable (JSONValue) -> Bool
        /// What else to say of a value that it does not take.
        let advice: @Sendable (JSONValue) -> String?

        /// - Parameters:
        ///   - rule: What goes on after “must be”, in a refusal of the file.
        ///   - variableRule: What goes on after “must be”, in a refusal of the variable.
        ///   - optionRule: The same in a refusal of an option, if it is something else.
        ///   - form: What the variable's text stands for.
        ///   - takes: Whether a value is of that kind; it decides for file and variable.
        ///   - advice: What else to say of a value that is refused, if anything.
        package init(
            _ rule: String, variable variableRule: String, option optionRule: String? = nil, form: Form = .text,
            takes: @escaping @Sendable (JSONValue) -> Bool,
            advice: @escaping @Sendable (JSONValue) -> String? = { _ in nil }
        ) {
            (self.rule, self.variableRule, self.form) = (rule, variableRule, form)
            self.optionRule = optionRule ?? variableRule
            (self.takes, self.advice) = (takes, advice)
        }

        /// Text that is not empty.
        ///
        /// An empty text is mostly a variable of a script that was not set.
        package static let text = Member(
            "text in quotes", variable: "text", takes: { $0.string?.isEmpty == false },
            advice: { $0.string == "" ? "leave it out for the default" : nil })

        /// Text with a rule of its own, which goes on after “must be”.
        package static func ruledText(
            _ rule: String, such example: String, takes: @escaping @Sendable (String) -> Bool
        ) -> Member {
            Member("\(rule), in quotes, such as \"\(example)\"", variable: "\(rule), such as \(example)") { value in
                value.string.map(takes) ?? false
            }
        }

        package static let flag = Member(
            "true or false, without quotes", variable: "true, yes or 1, or false, no or 0", form: .flag
        ) { $0.bool != nil }

        /// How much a service logs.
        package static let logLevel = Member.word(ServiceSettings.logLevels)

        /// A list of texts; the example shows one of them.
        package static func texts(_ example: String) -> Member {
            Member(
                "a list of texts, such as [\"\(example)\"]",
                variable: "texts with commas between them, such as \(example)", option: "text, such as \(example)",
                form: .list
            ) { value in value.array?.allSatisfy { $0.string?.isEmpty == false } ?? false }
        }

        package static func number(_ range: ClosedRange<Int>) -> Member {
            number("a whole number from \(range.lowerBound) to \(range.upperBound)") { range.contains($0) }
        }

        /// A whole number with a rule of its own.
        package static func number(_ rule: String, takes: @escaping @Sendable (Int) -> Bool) -> Member {
            Member(rule + ", without quotes", variable: rule, form: .number) { $0.int.map(takes) ?? false }
        }

        package static func word(_ words: [String]) -> Member {
            Member(
                "one of " + words.map { "\"\($0)\"" }.joined(separator: ", "),
                variable: "one of " + words.joined(separator: ", ")
            ) { value in value.string.map { words.contains($0) } ?? false }
        }

        /// Why the file's value cannot be used; nothing if it can.
        func refusal(of value: JSONValue) -> String? { takes(value) ? nil : "\(rule), not \(named(value))" }

        /// Why the variable's text cannot be used; nothing if it can.
        func refusal(ofVariable text: String) -> String? {
            takes(value(of: text)) ? nil : "\(variableRule), not \(named(.string(text)))"
        }

        /// Why an option's text cannot be used; nothing if it can.
        func refusal(ofOption text: String) -> String? {
            let given = form == .list ? JSONValue.array([.string(text)]) : value(of: text)
            return takes(given) ? nil : "\(optionRule), not \(named(.string(text)))"
        }

        private func named(_ value: JSONValue) -> String {
            value.named + (advice(value).map { " (\($0))" } ?? "")
        }

        /// What the text of a variable is in the file; the text itself where it is of no such kind.
        private func value(of text: String) -> JSONValue {
            switch form {
            case .text: .string(text)
            case .flag: Self.words[text.lowercased()].map { JSONValue.boolean($0) } ?? .string(text)
            case .number: Int64(text).map { JSONValue.integer($0) } ?? .string(text)
            case .list:
                .array(
                    text.split(separator: ",", omittingEmptySubsequences: false)
                        .map { JSONValue.string($0.trimmingCharacters(in: .whitespaces)) })
            }
        }

        /// The words of a flag, which are those that `ConfigReader` reads.
        private static let words = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
    }
}

extension JSONValue {
    /// The value as a refusal names it: of a long text or list the beginning, and of an object nothing.
    var named: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .string(let value): value.count > 40 ? "\"\(value.prefix(40))…\"" : "\"\(value)\""
        case .array(let values):
            "[" + values.prefix(3).map(\.shortly).joined(separator: ", ") + (values.count > 3 ? ", …]" : "]")
        case .object: "an object"
        }
    }

    private var shortly: String {
        if case .array = self { "[…]" } else { named }
    }
}
