/// The version that a page shows, in a hidden field of its form: the API's tag without `v` and quotes.
///
/// It is the version's number and, after the first restore, the era: numbers count on from the backup and may repeat.
struct SeenVersion: Sendable, Equatable {
    let text: String

    /// Reads a form's field; nil if it names no version.
    init?(_ text: String?) {
        guard let text, text.wholeMatch(of: /[0-9]{1,18}(-[0-9a-f]{1,32})?/) != nil else { return nil }
        self.text = text
    }

    /// Reads a tag of the API; nil if it names no version.
    init?(tag: String?) {
        guard let tag, tag.hasPrefix("\"v"), tag.hasSuffix("\"") else { return nil }
        self.init(String(tag.dropFirst(2).dropLast()))
    }

    var number: Int { Int(text.prefix { $0 != "-" }) ?? 0 }

    /// The tag for `If-Match`.
    var tag: String { "\"v\(text)\"" }
}
