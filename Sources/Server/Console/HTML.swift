/// Markup in which text cannot become markup.
///
/// What stands in a literal is ours; whatever is filled in is text and is escaped, unless it is markup itself. Attributes
/// are always written in double quotes, so that one way of escaping serves everywhere. There is no way to make markup
/// out of a `String`.
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// As it is sent.
    package private(set) var text: String

    package init(stringLiteral value: StaticString) {
        text = value.description
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Nothing.
    package static let empty: HTML = ""

    package static func + (first: HTML, second: HTML) -> HTML {
        var sum = first
        sum.text += second.text
        return sum
    }

    package static func += (first: inout HTML, second: HTML) {
        first.text += second.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        package mutating func appendInterpolation(_ value: some StringProtocol) {
            HTML.escape(value, into: &text)
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            text += String(number)
        }

        package mutating func appendInterpolation(_ markup: HTML) {
            text += markup.text
        }

        package mutating func appendInterpolation(_ markup: HTML?) {
            if let markup { text += markup.text }
        }

        package mutating func appendInterpolation(_ parts: some Sequence<HTML>) {
            for part in parts { text += part.text }
        }
    }

    private static func escape(_ value: some StringProtocol, into text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            // Not in HTML: a control character would be shown as nothing, or end the page for some readers.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
