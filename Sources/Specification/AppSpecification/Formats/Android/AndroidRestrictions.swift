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
        let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
            .replacing("\r", with: "\\u000D")
        return text.hasPrefix("@") || text.hasPrefix("?") ? "\\" + escaped : escaped
    }

    static func unescaped(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\", let escaped = rest.popFirst() else {
                result.append(character)
                continue
            }
            switch escaped {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "u"
            where rest.prefix(4).count == 4 && UInt32(rest.prefix(4), radix: 16).flatMap(Unicode.Scalar.init) != nil:
                let scalar = UInt32(rest.prefix(4), radix: 16).flatMap(Unicode.Scalar.init)
                result.unicodeScalars.append(scalar ?? "\u{FFFD}")
                rest = rest.dropFirst(4)
            default: result.append(escaped)
            }
        }
        return result
    }

    /// The name of what a text refers to, if it stands for a resource: `role` of `@string/role`.
    static func reference(_ text: String) -> String? {
        guard text.hasPrefix("@") || text.hasPrefix("?"), text.contains("/") else { return nil }
        return text.split(separator: "/").last.map(String.init)
    }
}
