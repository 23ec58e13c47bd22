import AppSpecification
import InputBounds

/// The help for a key in a form, in sentences made from its specification.
enum KeyHelp {
    static func sentences(of key: SpecifiedKey) -> [String] {
        var sentences: [String] = []
        if let description = key.description { sentences.append(description) }
        if let deprecation = key.deprecation { sentences.append(self.deprecation(deprecation)) }
        if !key.isChoice, !key.allowed.isEmpty { sentences.append("Allowed: \(key.allowed).") }
        if let value = key.defaultValue { sentences.append("Without it the app uses \(text(value, of: key)).") }
        let examples = key.examples.prefix(3).map { text($0, of: key) }
        if !examples.isEmpty { sentences.append("For example \(examples.joined(separator: ", ")).") }
        if let since = key.since { sentences.append("Known since version \(since) of the app.") }
        if let variable = key.variable {
            sentences.append(
                ForeignVariable.ours(for: variable).map {
                    "The server can put in a value for each device: write ${\($0)}."
                } ?? "Other managements put in a value for each device, which is not known here.")
        }
        if key.isSensitive { sentences.append("Few should see it. What is secret belongs into a secret instead.") }
        return sentences
    }

    private static func deprecation(_ deprecation: SpecifiedDeprecation) -> String {
        var text = "Should not be used any more"
        if let since = deprecation.since { text += " since version \(since)" }
        if let until = deprecation.until { text += "; the app reads it until version \(until)" }
        if let other = deprecation.replacedBy { text += ". Use \(other) instead" }
        return text + "." + (deprecation.note.map { " \($0)" } ?? "")
    }

    /// A value as a form shows it.
    static func text(_ value: JSONValue, of key: SpecifiedKey) -> String {
        if let bool = value.bool { return bool ? "yes" : "no" }
        if let choice = key.choices?.first(where: { $0.value == value }), let title = choice.title { return title }
        return value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    }

    /// What has to hold between the keys of a dictionary.
    static func conditions(of dictionary: SpecifiedKey) -> [String] {
        dictionary.conditions.compactMap { condition in
            guard let cause = condition["if"], let effect = condition["then"] else { return nil }
            let causes = parts(of: cause, in: dictionary, must: false)
            let effects = parts(of: effect, in: dictionary, must: true)
            guard !causes.isEmpty, !effects.isEmpty else { return nil }
            return "When \(causes.joined(separator: " and ")), \(effects.joined(separator: " and "))."
        }
    }

    private static func parts(of schema: JSONValue, in dictionary: SpecifiedKey, must: Bool) -> [String] {
        let properties = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }
        let required = (schema["required"]?.array ?? []).compactMap(\.string)
            .filter { name in must || !properties.contains { $0.key == name } }
        return required.map { "\(title($0, in: dictionary)) \(must ? "must be set" : "is set")" }
            + properties.map { name, rule in
                let subject = title(name, in: dictionary)
                if rule == .boolean(false) { return "\(subject) \(must ? "must not be" : "is not") set" }
                let key = SpecifiedKey(reading: rule)
                let known = dictionary[name] ?? key
                let choices = (key.choices ?? []).map { text($0.value, of: known) }
                let allowed = choices.isEmpty ? key.allowed : choices.joined(separator: " or ")
                return "\(subject) \(must ? "must be" : "is") \(allowed.isEmpty ? "as the app wants it" : allowed)"
            }
    }

    private static func title(_ name: String, in dictionary: SpecifiedKey) -> String {
        dictionary[name]?.title ?? name
    }
}
