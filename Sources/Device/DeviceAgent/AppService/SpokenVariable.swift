/// The variables that say how to speak with the person at the device, and what they may say.
///
/// The C library and others make file names of them: by a path a person would choose which file an app reads. A catalog of
/// texts is as good as code, since programs hand its texts to `printf`.
enum SpokenVariable {
    private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    private static let plain = letters.union("0123456789_.@-".utf8)

    /// Whether an app is given this variable of a person who opens it.
    static func isPassed(_ name: String, _ value: String) -> Bool {
        switch name {
        case "LANGUAGE": value.split(separator: ":", omittingEmptySubsequences: false).allSatisfy(isLocale)
        case "LANG": isLocale(value[...])
        case _ where name.hasPrefix("LC_"): isLocale(value[...])
        case "TZ": isTimeZone(value)
        case "TERM": isTerminal(value)
        case "COLUMNS", "LINES": value.utf8.allSatisfy { Set("0123456789".utf8).contains($0) }
        case "COLORFGBG", "COLORTERM", "NO_COLOR", "TERM_PROGRAM":
            value.utf8.allSatisfy { plain.union("+; ".utf8).contains($0) }
        default: false
        }
    }

    /// A language's or locale's name, such as `de_CH.UTF-8`; nothing is one, too.
    private static func isLocale(_ text: Substring) -> Bool {
        guard let first = text.utf8.first else { return true }
        return letters.contains(first) && text.utf8.allSatisfy(plain.contains) && !text.contains("..")
    }

    /// A name of a time zone such as `Europe/Zurich`, or its rules themselves.
    private static func isTimeZone(_ text: String) -> Bool {
        let allowed = plain.union("+/,:<>".utf8)
        let name = text.hasPrefix(":") ? text.dropFirst() : text[...]
        // What begins with a slash is a file, and so may be what climbs out of the directory of zones.
        return text.utf8.allSatisfy(allowed.contains) && !name.hasPrefix("/") && !name.hasPrefix(".")
            && !text.contains("..")
    }

    /// A name of a kind of terminal, such as `xterm-256color`.
    private static func isTerminal(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && text.utf8.allSatisfy(plain.union("+".utf8).contains)
    }
}
