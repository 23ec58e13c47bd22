import InputBounds

/// The managed configurations of Android apps: an XML file of restrictions.
enum AndroidRestrictions {
    static let name = "Android's restrictions"
    static let root = "restrictions"
    static let namespace = "http://schemas.android.com/apk/res/android"
    static let limits = InputLimits(bytes: SpecificationLimits.bytes, depth: 32, objects: 200_000)

    /// The word for a key's type once it is reduced.
    static func restrictionType(_ key: SpecifiedKey) -> String {
        switch key.type {
        case .integer: "integer"
        case .boolean: "bool"
        case .dictionary: "bundle"
        case .array: key.item.first?.type == .dictionary ? "bundle_array" : "multi-select"
        default: key.isHidden ? "hidden" : key.choices == nil ? "string" : "choice"
        }
    }

    /// A text as an attribute of a resource file has it, where some characters mean more than themselves.
    static func escaped(_ text: String) -> String {
        let escaped = text.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\n", with: "\\n")
            .replacing(scalars: "\t", with: "\\t").replacing(scalars: "\r", with: "\\u000D")
        return isMarked(text) ? "\\" + escaped : escaped
    }

    static func unescaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let escaped = rest.popFirst() else {
                result.append(scalar)
                continue
            }
            switch escaped {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "u":
                let digits = String(rest.prefix(4))
                guard digits.unicodeScalars.count == 4,
                    let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
                else {
                    result.append(escaped)
                    continue
                }
                result.append(scalar)
                rest = rest.dropFirst(4)
            default: result.append(escaped)
            }
        }
        return String(result)
    }

    /// Whether a text that begins so stands for something else.
    private static func isMarked(_ text: String) -> Bool {
        text.unicodeScalars.first == "@" || text.unicodeScalars.first == "?"
    }

    /// The name of what a text refers to, if it stands for a resource: `role` of `@string/role`.
    static func reference(_ text: String) -> String? {
        guard isMarked(text), text.unicodeScalars.contains("/") else { return nil }
        return text.unicodeScalars.split(separator: "/").last.map { String($0) }
    }
}
