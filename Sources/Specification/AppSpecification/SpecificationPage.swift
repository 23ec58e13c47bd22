import Foundation
import InputBounds

/// A specification as a page for administrators, whatever it is then written in.
package struct SpecificationPage {
    package enum Block {
        case heading(Int, String)
        case paragraph(String)
        case list([String])
        case table(head: [String], rows: [[Cell]])
        case code(String)
    }

    package enum Cell {
        case text(String)
        case code(String)
    }

    package private(set) var blocks: [Block] = []

    package init(_ specification: AppSpecification) {
        let app = specification.app
        blocks.append(.heading(1, app.title ?? app.bundleIdentifier))
        if let description = app.description { blocks.append(.paragraph(description)) }
        var facts = ["Bundle identifier: " + app.bundleIdentifier]
        if let version = app.version { facts.append("Version: " + version) }
        for (name, least) in app.platforms.sorted(by: { $0.key < $1.key }) {
            facts.append("Runs on " + name + (least.map { " \($0) or newer" } ?? ""))
        }
        if let website = app.website { facts.append("Published at: " + website) }
        blocks.append(.list(facts))
        add(specification, level: 2)
        for (name, inner) in specification.extensions.sorted(by: { $0.key < $1.key }) {
            blocks.append(.heading(2, "Extension " + (inner.app.title.map { "\($0) (\(name))" } ?? name)))
            if let description = inner.app.description { blocks.append(.paragraph(description)) }
            add(inner, level: 3)
        }
    }

    private mutating func add(_ specification: AppSpecification, level: Int) {
        let keys = specification.configuration.descendants.filter { !$0.key.isHidden }
        if !keys.isEmpty {
            blocks.append(.heading(level, "Configuration"))
            var group: String?
            var rows: [[Cell]] = []
            for (path, key) in keys {
                if let name = key.group, name != group {
                    flush(&rows)
                    blocks.append(.heading(level + 1, name))
                    group = name
                }
                rows.append(row(path, key))
            }
            flush(&rows)
        }
        addSamples(specification, level: level)
        addSecrets(specification.secrets, level: level)
        addErrors(specification.errors, level: level)
        addFeedback(specification.feedback, level: level)
    }

    private mutating func flush(_ rows: inout [[Cell]]) {
        guard !rows.isEmpty else { return }
        blocks.append(.table(head: ["Key", "Type", "What it controls", "Allowed", "Default"], rows: rows))
        rows = []
    }

    private func row(_ path: String, _ key: SpecifiedKey) -> [Cell] {
        var words = [key.title, key.description].compactMap(\.self)
        if let since = key.since { words.append("Since version \(since).") }
        if let deprecation = key.deprecation {
            words.append(
                "Deprecated" + (deprecation.since.map { " since \($0)" } ?? "")
                    + (deprecation.replacedBy.map { ": use \($0)" } ?? "") + ".")
            if let note = deprecation.note { words.append(note) }
        }
        return [
            .code(path), .text(key.type.phrase + (key.isRequired ? ", required" : "")),
            .text(words.joined(separator: " ")), .text(key.allowed),
            key.defaultValue.map { .code(Self.text($0)) } ?? .text(""),
        ]
    }

    private mutating func addSamples(_ specification: AppSpecification, level: Int) {
        for sample in specification.samples {
            blocks.append(.heading(level, sample.title))
            if let description = sample.description { blocks.append(.paragraph(description)) }
            guard let list = try? specification.configuration.propertyList(sample.configuration) else { continue }
            blocks.append(.code(String(decoding: list.xml(), as: UTF8.self)))
        }
    }

    private mutating func addSecrets(_ secrets: [SpecifiedSecret], level: Int) {
        guard !secrets.isEmpty else { return }
        blocks.append(.heading(level, "Secrets"))
        blocks.append(
            .table(
                head: ["Identifier", "Kind", "What for"],
                rows: secrets.map { secret in
                    [
                        .code(secret.identifier + (secret.isPrefix ? "…" : "")),
                        .text(secret.kind.rawValue + (secret.isRequired ? ", required" : "")),
                        .text(secret.purpose ?? ""),
                    ]
                }))
    }

    private mutating func addErrors(_ errors: [SpecifiedError], level: Int) {
        guard !errors.isEmpty else { return }
        blocks.append(.heading(level, "Errors"))
        blocks.append(
            .table(
                head: ["Code", "Meaning", "What to do"],
                rows: errors.sorted { $0.code < $1.code }.map { one in
                    [
                        .code("\(one.code)"), .text((one.name.map { "\($0): " } ?? "") + one.meaning),
                        .text(one.remedy ?? ""),
                    ]
                }))
    }

    private mutating func addFeedback(_ feedback: [SpecifiedFeedback], level: Int) {
        guard !feedback.isEmpty else { return }
        blocks.append(.heading(level, "Feedback"))
        blocks.append(
            .table(
                head: ["Key", "What it says", "Why it is collected", "For how long"],
                rows: feedback.map { one in
                    let words = [one.title, one.description].compactMap(\.self).joined(separator: ": ")
                    return [.code(one.key), .text(words), .text(one.purpose ?? ""), .text(one.retention ?? "")]
                }))
    }

    static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}

extension SpecifiedKey {
    /// What may stand there, in words.
    package var allowed: String {
        var words: [String] = []
        if let choices {
            words.append(
                choices.map { choice in
                    let value = SpecificationPage.text(choice.value)
                    return choice.title.map { "\(value) (\($0))" } ?? value
                }.joined(separator: ", "))
        }
        let number = { (value: JSONValue?) in value.map(SpecificationPage.text) }
        words += Self.range(number(bounds.minimum), number(bounds.maximum), "")
        if let above = number(bounds.exclusiveMinimum) { words.append("above \(above)") }
        if let below = number(bounds.exclusiveMaximum) { words.append("below \(below)") }
        if let step = number(bounds.multipleOf) { words.append("multiples of \(step)") }
        let count = { (value: Int?) in value.map { "\($0)" } }
        words += Self.range(count(bounds.minLength), count(bounds.maxLength), " characters")
        words += Self.range(count(bounds.minItems), count(bounds.maxItems), " items")
        words += Self.range(count(bounds.minProperties), count(bounds.maxProperties), " keys")
        words += Self.range(count(bounds.minBytes), count(bounds.maxBytes), " bytes")
        words += Self.range(bounds.earliest, bounds.latest, "")
        if bounds.uniqueItems { words.append("nothing twice") }
        if let format = bounds.format { words.append("format \(format)") }
        if let pattern = bounds.pattern { words.append("pattern \(pattern)") }
        return words.joined(separator: "; ")
    }

    private static func range(_ least: String?, _ most: String?, _ unit: String) -> [String] {
        switch (least, most) {
        case (let least?, let most?): [least == most ? "\(least)\(unit)" : "\(least) to \(most)\(unit)"]
        case (let least?, nil): ["at least \(least)\(unit)"]
        case (nil, let most?): ["at most \(most)\(unit)"]
        case (nil, nil): []
        }
    }
}
