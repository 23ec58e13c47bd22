import Foundation
import InputBounds

extension AppConfigXML {
    static func write(_ specification: AppSpecification) throws(SpecificationRefusal) -> Converted<Data> {
        var (root, notes) = reduced(specification)
        guard !root.keys.isEmpty else {
            throw SpecificationRefusal(
                place: "/properties",
                rule: "\(name) wants at least one key, and can carry none of these: \(notes.keysLeftOut)")
        }
        let identifier = specification.app.bundleIdentifier
        if identifier.wholeMatch(of: /([a-zA-Z0-9]+\.)+[a-zA-Z0-9]+/) == nil {
            notes.append(
                .init(
                    .warning, [], "x-app.bundleIdentifier",
                    "some schemas of the format allow letters, digits and dots alone"))
        }
        let revision = specification.document["x-revision"]?.int
        if revision.map({ (1...99_999).contains($0) }) != true {
            notes.append(.init(revision == nil ? .warning : .loss, [], "x-revision", "the revision is written as 1"))
        }
        let fields = root.keys.filter(isShown)
        let locale = locale(
            of: root.keys, named: specification.document["x-locale"]?.string, isWritten: !fields.isEmpty, &notes)

        var writer = XMLWriter()
        writer.element(Self.root) { writer in
            writer.element("version", text: "\(revision.flatMap { (1...99_999).contains($0) ? $0 : nil } ?? 1)")
            writer.element("bundleId", text: identifier)
            writer.element("dict") { writer in
                for key in root.keys { write(key, &writer) }
            }
            guard !fields.isEmpty else { return }
            writer.element("presentation", ["defaultLocale": locale]) { writer in
                var rest = fields[...]
                while let first = rest.first {
                    let together = rest.prefix { $0.group == first.group }
                    rest = rest.dropFirst(together.count)
                    write(fields: together, of: first.group, locale, &writer)
                }
            }
        }
        return Converted(writer.data, notes: notes)
    }

    /// A language for the words that name none; none that a key is translated to.
    private static func locale(
        of keys: [SpecifiedKey], named: String?, isWritten: Bool, _ notes: inout [ConversionNote]
    ) -> String {
        let taken = Set(keys.flatMap(\.translations.keys))
        let candidates = [named].compactMap(\.self).filter(isLanguage) + ["en", "en-US", "und"]
        let locale = candidates.first { !taken.contains($0) } ?? "x-default"
        if let named, named != locale || !isWritten {
            notes.append(.init(.loss, [], "x-locale", "the language of titles is another, or not said"))
        } else if named == nil, isWritten {
            notes.append(.init(.warning, [], "x-locale", "titles are marked as of the language \(locale)"))
        }
        return locale
    }

    // MARK: The dictionary

    private static func write(_ key: SpecifiedKey, _ writer: inout XMLWriter) {
        let ruled = key.item.first ?? key
        writer.element(element(key) ?? "", ["keyName": key.name]) { writer in
            if key.variable != nil || key.defaultValue != nil {
                writer.element("defaultValue") { writer in
                    if let variable = key.variable {
                        writer.element(variable.scope + "Variable", ["value": variable.name])
                    }
                    for value in key.defaultValue.map({ $0.array ?? [$0] }) ?? [] {
                        writer.element("value", text: ScalarText.text(value) ?? "")
                    }
                }
            }
            let (least, most) = bounds(key)
            writer.element(
                "constraint",
                [
                    "nullable": key.isRequired ? "false" : "true", "min": least, "max": most,
                    "pattern": ruled.bounds.pattern.map(PatternAnchors.whole),
                ]
            ) { writer in
                guard let choices = ruled.choices else { return }
                writer.element("values") { writer in
                    for choice in choices { writer.element("value", text: ScalarText.text(choice.value) ?? "") }
                }
            }
        }
    }

    private static func bounds(_ key: SpecifiedKey) -> (String?, String?) {
        switch key.type {
        case .string: (key.bounds.minLength.map(String.init), key.bounds.maxLength.map(String.init))
        case .array: (key.bounds.minItems.map(String.init), key.bounds.maxItems.map(String.init))
        case .date: (key.bounds.earliest, key.bounds.latest)
        default: (key.bounds.minimum.flatMap(ScalarText.text), key.bounds.maximum.flatMap(ScalarText.text))
        }
    }

    // MARK: The presentation

    private static func isShown(_ key: SpecifiedKey) -> Bool {
        key.title != nil || key.description != nil || key.group != nil || key.isHidden || !key.translations.isEmpty
            || (key.item.first ?? key).choices?.contains { $0.title != nil } ?? false
    }

    private static func write(
        fields: ArraySlice<SpecifiedKey>, of group: String?, _ locale: String, _ writer: inout XMLWriter
    ) {
        guard let group else {
            for key in fields { write(field: key, locale, &writer) }
            return
        }
        writer.element("fieldGroup") { writer in
            writer.element("name") { $0.element("language", ["value": locale], text: group) }
            for key in fields { write(field: key, locale, &writer) }
        }
    }

    private static func write(field key: SpecifiedKey, _ locale: String, _ writer: inout XMLWriter) {
        let titled = ((key.item.first ?? key).choices ?? []).filter { $0.title != nil }
        let defaults = key.defaultValue.map { $0.array ?? [$0] } ?? []
        writer.element("field", ["keyName": key.name, "type": control(key)]) { writer in
            write("label", key.title, key.translations.mapValues(\.title), locale, &writer)
            write("description", key.description, key.translations.mapValues(\.description), locale, &writer)
            guard !titled.isEmpty else { return }
            writer.element("options") { writer in
                for choice in titled {
                    let isSelected = defaults.contains(choice.value) ? "true" : nil
                    writer.element("option", ["value": ScalarText.text(choice.value), "selected": isSelected]) {
                        $0.element("language", ["value": locale], text: choice.title ?? "")
                    }
                }
            }
        }
    }

    private static func write(
        _ name: String, _ words: String?, _ translations: [String: String?], _ locale: String, _ writer: inout XMLWriter
    ) {
        let others = translations.compactMapValues(\.self).sorted { $0.key < $1.key }
        guard words != nil || !others.isEmpty else { return }
        writer.element(name) { writer in
            if let words { writer.element("language", ["value": locale], text: words) }
            for (tag, text) in others { writer.element("language", ["value": tag], text: text) }
        }
    }

    private static func control(_ key: SpecifiedKey) -> String {
        if key.isHidden { return "hidden" }
        switch key.type {
        case .boolean: return "checkbox"
        case .date: return "datetime"
        case .array: return key.item.first?.choices == nil ? "list" : "multiselect"
        default: return key.choices == nil ? "input" : "select"
        }
    }
}
