import InputBounds
import JSONSchema
import Patterns

/// Notes while something is read, and what is made in the end.
struct ConversionNotes {
    private(set) var all: [ConversionNote] = []

    mutating func lose(_ path: SpecifiedPath, _ keyword: String, _ explanation: String) {
        all.append(.init(.loss, path, keyword, explanation))
    }

    mutating func warn(_ path: SpecifiedPath, _ keyword: String, _ explanation: String) {
        all.append(.init(.warning, path, keyword, explanation))
    }

    /// Takes a pattern if it is one that can be matched here.
    mutating func pattern(_ text: String, _ path: SpecifiedPath) -> String? {
        if Self.isPattern(text) { return text }
        let plain = Self.withoutNeedlessEscapes(text)
        if plain != text, Self.isPattern(plain) {
            warn(path, "pattern", "it escapes what stands for itself, and was put right")
            return plain
        }
        losePattern(text, path, "pattern")
        return nil
    }

    /// Notes that a pattern is left out, which one and why.
    mutating func losePattern(_ text: String, _ path: SpecifiedPath, _ keyword: String) {
        lose(path, keyword, "\(text.prefix(64)) is left out: \(Self.fault(of: text))")
    }

    private static func fault(of text: String) -> String {
        do throws(PatternRefusal) {
            _ = try Pattern(text)
            return "it comes to too many steps"
        } catch {
            return error.rule
        }
    }

    private static func isPattern(_ text: String) -> Bool {
        (try? JSONSchema(.object(["pattern": .string(text)]))) != nil
    }

    /// The pattern without backslashes before punctuation that means nothing in one, which other dialects allow: `\:`.
    private static func withoutNeedlessEscapes(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var (isEscaped, isInClass) = (false, false)
        for scalar in text.unicodeScalars {
            if isEscaped {
                // Between brackets a hyphen means something.
                let isPlain = " !\"#%&',:;<=>@_`~".unicodeScalars.contains(scalar) || scalar == "-" && !isInClass
                if !isPlain { plain.append("\\") }
                plain.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                if scalar == "[" || scalar == "]" { isInClass = scalar == "[" }
                plain.append(scalar)
            }
        }
        if isEscaped { plain.append("\\") }
        return String(plain)
    }

    /// The specification of what was read; `further` goes into its document.
    ///
    /// Defaults that their own keys do not allow are put right or left out before.
    mutating func converted(
        _ app: SpecifiedApp, _ root: SpecifiedKey, further: [String: JSONValue] = [:]
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        var root = root
        mendValues(of: &root, at: [])
        let specification = try AppSpecification(app: app, configuration: root)
        guard !further.isEmpty else { return Converted(specification, notes: all) }
        let document = (specification.document.object ?? [:]).merging(further) { _, new in new }
        return Converted(try AppSpecification(.object(document)), notes: all)
    }
}
