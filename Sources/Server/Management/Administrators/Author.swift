/// The author of a change: an administrator, or an API token of theirs, `anna/builds`.
///
/// A token's name has neither a slash nor an `@`. An administrator's has a slash only in an address, before its `@`
/// (RFC 5322 allows that). So what stands behind the last slash says which of the two an author is.
package enum Author: Sendable, Equatable {
    case administrator(String)
    case token(String, of: String)

    package init(_ text: String) {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")),
            !text.utf8[slash...].contains(UInt8(ascii: "@"))
        else {
            self = .administrator(text)
            return
        }
        self = .token(String(text[text.utf8.index(after: slash)...]), of: String(text[..<slash]))
    }

    /// The administrator, also if an API token of theirs is the author.
    package var administrator: String {
        switch self {
        case .administrator(let name), .token(_, of: let name): name
        }
    }

    package var text: String {
        switch self {
        case .administrator(let name): name
        case .token(let name, of: let administrator): "\(administrator)/\(name)"
        }
    }
}
