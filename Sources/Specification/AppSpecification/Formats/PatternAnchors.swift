/// Turns patterns that a whole text must match into those of JSON Schema, which match somewhere, and back.
package enum PatternAnchors {
    private static let anything = "[\\s\\S]*"

    /// For JSON Schema; the inverse of `whole`.
    package static func anchored(_ pattern: String) -> String {
        if pattern.hasPrefix(anything + "(?:"), pattern.hasSuffix(")" + anything) {
            let group = String(pattern.dropFirst(anything.count).dropLast(anything.count))
            if isOneGroup(group) { return String(group.dropFirst(3).dropLast()) }
        }
        return hasAlternatives(pattern) ? "^(?:" + pattern + ")$" : "^" + pattern + "$"
    }

    /// For formats whose patterns match whole texts.
    package static func whole(_ pattern: String) -> String {
        if let inner = unanchored(pattern), !hasAlternatives(inner) { return inner }
        return anything + "(?:" + pattern + ")" + anything
    }

    private static func unanchored(_ pattern: String) -> String? {
        guard pattern.count >= 2, pattern.hasPrefix("^"), pattern.hasSuffix("$") else { return nil }
        let inner = String(pattern.dropFirst().dropLast())
        // An escaped dollar is no anchor.
        let backslashes = inner.reversed().prefix { $0 == "\\" }.count
        return backslashes.isMultiple(of: 2) ? inner : nil
    }

    private static func hasAlternatives(_ pattern: String) -> Bool {
        var found = false
        scan(pattern) { scalar, depth, _ in if scalar == "|", depth == 0 { found = true } }
        return found
    }

    /// Whether the group that begins the text ends it.
    private static func isOneGroup(_ pattern: String) -> Bool {
        var end: Int?
        let count = scan(pattern) { scalar, depth, index in
            if scalar == ")", depth == 0, end == nil { end = index }
        }
        return end == count - 1
    }

    /// Walks over scalars that are neither escaped nor in a class, with how many groups are open after each.
    ///
    /// It does not walk over characters, because an engine reads a bar with a combining mark as a bar.
    @discardableResult
    private static func scan(_ pattern: String, _ visit: (Unicode.Scalar, Int, Int) -> Void) -> Int {
        var (depth, isInClass, isEscaped, index) = (0, false, false, 0)
        for scalar in pattern.unicodeScalars {
            defer { index += 1 }
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if isInClass {
                isInClass = scalar != "]"
            } else {
                if scalar == "[" { isInClass = true }
                if scalar == "(" { depth += 1 }
                if scalar == ")" { depth -= 1 }
                visit(scalar, depth, index)
            }
        }
        return index
    }
}
