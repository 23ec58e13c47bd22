import AdminMessages
import AppSpecification

/// The problem of a text that does not match a key's pattern, in the words of the specification: few people can read a
/// regular expression.
enum PatternWords {
    /// Nothing where it is another rule, or where nothing says in words what is wanted.
    static func sentence(for finding: Finding, in state: EditorState) -> String? {
        guard finding.rule == "pattern", let key = state.key(at: finding.path) else { return nil }
        let examples = key.examples.prefix(3).map { KeyHelp.text($0, of: key) }
        let wanted =
            [key.description].compactMap { $0 }.map { $0.hasSuffix(".") ? $0 : $0 + "." }
            + (examples.isEmpty ? [] : ["For example \(examples.joined(separator: ", "))."])
        guard key.title != nil || !wanted.isEmpty else { return nil }
        let said = Finding(path: "", rule: finding.rule, message: finding.message, versions: finding.versions).sentence
        let rule = said.dropFirst("the configuration: ".count)
        return ([lead(key)] + wanted + ["The rule: \(rule)."]).joined(separator: " ")
    }

    private static func lead(_ key: SpecifiedKey) -> String {
        "\(key.title ?? key.name) is not of the form that the app wants."
    }
}
