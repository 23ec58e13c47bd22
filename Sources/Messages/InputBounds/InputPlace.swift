package import Foundation

/// Where in a text a rule is broken, for the person who wrote the text.
package struct InputPlace: Hashable, Sendable {
    /// Both from 1; columns are Unicode scalars.
    package let line: Int
    package let column: Int
    /// The keys on the way, as `servers[0].port`; empty at the outermost value.
    package let keyPath: String

    /// The place of a byte in UTF-8; `steps` are the keys and indices on the way.
    init(of offset: Int, in bytes: Span<UInt8>, steps: [String]) {
        var (line, column) = (1, 1)
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        for index in (hasMark ? 3 : 0)..<max(hasMark ? 3 : 0, min(offset, bytes.count)) {
            let byte = bytes[index]
            if byte == 0x0A {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        (self.line, self.column, keyPath) = (line, column, Self.text(of: steps))
    }

    package init(of offset: Int, in data: Data, steps: [String]) {
        self.init(of: offset, in: data.span, steps: steps)
    }

    // A hostile document names a long way.
    private static let longest = 200

    private static func text(of steps: [String]) -> String {
        var text = ""
        for step in steps where text.unicodeScalars.count <= longest {
            text += text.isEmpty || step.hasPrefix("[") ? step : "." + step
        }
        let shown = text.unicodeScalars.prefix(longest).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(shown)) + (text.unicodeScalars.count > longest ? "…" : "")
    }
}

extension InputPlace: CustomStringConvertible {
    package var description: String {
        "line \(line), column \(column)" + (keyPath.isEmpty ? "" : ", at \(keyPath)")
    }
}
