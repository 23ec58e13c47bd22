import InputBounds

/// Values of no parts as the text that XML formats have for them.
enum ScalarText {
    /// Nothing for values that no such text stands for.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): number.isFinite ? "\(number)" : nil
        case .boolean(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    /// Whether the text of a value says it again where that type is expected.
    static func holds(_ value: JSONValue, as type: SpecifiedType) -> Bool {
        guard let text = text(value), let read = self.value(text, as: type) else { return false }
        return read.value == value && !read.isLenient
    }

    /// What a text stands for, and whether that had to be guessed.
    static func value(_ text: String, as type: SpecifiedType) -> (value: JSONValue, isLenient: Bool)? {
        if type == .string { return (.string(text), false) }
        let trimmed = String(
            text.trimmingPrefix(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard let (value, isLenient) = exactValue(trimmed, as: type) else { return nil }
        return (value, isLenient || trimmed != text)
    }

    private static func exactValue(_ text: String, as type: SpecifiedType) -> (JSONValue, Bool)? {
        switch type {
        case .integer:
            // Numbers of 32 bits are what these formats know.
            if let number = Int64(text) {
                return (.integer(number), Int32(exactly: number) == nil || text.hasPrefix("+"))
            }
            guard let number = Double(text).flatMap({ Int64(exactly: $0) }) else { return nil }
            return (.integer(number), true)
        case .real:
            if let number = Int64(text) { return (.integer(number), false) }
            guard let number = Double(text), number.isFinite else { return nil }
            return (.real(number), false)
        case .boolean:
            switch text.lowercased() {
            case "true", "1": return (.boolean(true), text != "true")
            case "false", "0": return (.boolean(false), text != "false")
            case "yes": return (.boolean(true), true)
            case "no": return (.boolean(false), true)
            default: return nil
            }
        case .date: return date(text).map { (.string($0), $0 != text) }
        default: return nil
        }
    }

    /// A moment as JSON Schema writes it; one that names no zone is taken for UTC.
    private static func date(_ text: String) -> String? {
        let moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/
        // As programs write dates into files of other formats: 2026-01-01 00:00:00 +0000.
        let written = text.hasSuffix(" +0000") ? String(text.dropLast(6)) + "Z" : text
        let joined = written.replacing(scalars: " ", with: "T")
        for candidate in [text, text + "Z", joined, joined + "Z", text + "T00:00:00Z"]
        where candidate.wholeMatch(of: moment) != nil {
            return candidate
        }
        return nil
    }
}
