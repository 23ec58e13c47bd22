package import InputBounds

extension ServiceSettings {
    /// What a member of the settings file may say.
    ///
    /// A value of another type would otherwise have no effect: the service would start with its default.
    package struct Member: Sendable {
        /// What it must be, in words that show what to write.
        let rule: String
        let takes: @Sendable (JSONValue) -> Bool

        /// - Parameters:
        ///   - rule: What goes on after “must be”.
        ///   - takes: Whether a value is of that kind.
        package init(_ rule: String, takes: @escaping @Sendable (JSONValue) -> Bool) {
            (self.rule, self.takes) = (rule, takes)
        }

        package static let text = Member("text in quotes") { $0.string != nil }

        package static let flag = Member("true or false, without quotes") { $0.bool != nil }

        /// A list of texts; the example shows one of them.
        package static func texts(_ example: String) -> Member {
            Member("a list of texts, such as [\"\(example)\"]") { value in
                value.array?.allSatisfy { $0.string != nil } ?? false
            }
        }

        package static func number(_ range: ClosedRange<Int>) -> Member {
            Member("a whole number from \(range.lowerBound) to \(range.upperBound), without quotes") { value in
                value.int.map { range.contains($0) } ?? false
            }
        }

        package static func word(_ words: [String]) -> Member {
            Member("one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")) { value in
                value.string.map { words.contains($0) } ?? false
            }
        }
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
