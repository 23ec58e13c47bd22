import Foundation
import InputBounds

extension AppConfigReader {
    mutating func readConstraint(_ key: inout SpecifiedKey, _ element: XMLElement, _ path: SpecifiedPath) {
        guard let constraint = element.child("constraint") else {
            // By the letter it is required; those who publish such files mean that it is not.
            return notes.warn(path, "required", "nothing says nullable; the key is taken to be optional")
        }
        readNullable(&key, constraint, path)
        readPattern(&key, constraint, path)
        readBounds(&key, constraint, path)
        if let values = constraint.child("values") { readValues(&key, values, path) }
        for name in constraint.attributes.keys.sorted() where !["nullable", "pattern", "min", "max"].contains(name) {
            notes.lose(path, name, "the format has no such attribute")
        }
        for child in constraint.children where child.localName != "values" {
            notes.lose(path, child.localName, "the format has no such element there")
        }
    }

    private mutating func readNullable(_ key: inout SpecifiedKey, _ constraint: XMLElement, _ path: SpecifiedPath) {
        guard let text = constraint.attributes["nullable"] else {
            return notes.warn(path, "required", "nothing says nullable; the key is taken to be optional")
        }
        guard let read = ScalarText.value(text, as: .boolean), let isNullable = read.value.bool else {
            return notes.warn(path, "required", "nullable is neither true nor false; the key is taken to be optional")
        }
        if read.isLenient, text != "1", text != "0" {
            notes.warn(path, "required", "nullable is not written as true or false")
        }
        key.isRequired = !isNullable
    }

    private mutating func readPattern(_ key: inout SpecifiedKey, _ constraint: XMLElement, _ path: SpecifiedPath) {
        guard let text = constraint.attributes["pattern"] else { return }
        guard (key.item.first ?? key).type == .string else {
            return notes.lose(path, "pattern", "only texts have patterns")
        }
        if key.item.isEmpty {
            key.bounds.pattern = notes.pattern(PatternAnchors.anchored(text), path)
        } else {
            key.item[0].bounds.pattern = notes.pattern(PatternAnchors.anchored(text), path + .item)
        }
    }

    private mutating func readBounds(_ key: inout SpecifiedKey, _ constraint: XMLElement, _ path: SpecifiedPath) {
        for (attribute, isLeast) in [("min", true), ("max", false)] {
            guard let text = constraint.attributes[attribute] else { continue }
            if constraint.attributes["pattern"] != nil {
                notes.warn(path, attribute, "beside a pattern, \(AppConfigXML.name) ignores it")
                continue
            }
            switch key.type {
            case .string, .array:
                guard let read = ScalarText.value(text, as: .integer), let count = read.value.int, count >= 0 else {
                    notes.lose(path, attribute, "it is no number of 0 or more")
                    continue
                }
                if read.isLenient { notes.warn(path, attribute, "it is not written as the schema wants it") }
                switch (key.type, isLeast) {
                case (.string, true): key.bounds.minLength = count
                case (.string, false): key.bounds.maxLength = count
                case (_, true): key.bounds.minItems = count
                case (_, false): key.bounds.maxItems = count
                }
            case .integer, .real, .date: readBound(&key, attribute, text, isLeast, path)
            default: notes.lose(path, attribute, "a boolean has none")
            }
        }
    }

    private mutating func readBound(
        _ key: inout SpecifiedKey, _ attribute: String, _ text: String, _ isLeast: Bool, _ path: SpecifiedPath
    ) {
        guard let read = ScalarText.value(text, as: key.type) else {
            return notes.lose(path, attribute, "it is not of the key's type")
        }
        if read.isLenient { notes.warn(path, attribute, "it is not written as the schema wants it") }
        guard key.type == .date else {
            if isLeast { key.bounds.minimum = read.value } else { key.bounds.maximum = read.value }
            return
        }
        guard let text = read.value.string, let date = try? Date(text, strategy: .iso8601) else {
            return notes.lose(path, attribute, "it is no moment in whole seconds")
        }
        let moment = PropertyListValue.text(of: date)
        if moment != text { notes.warn(path, attribute, "it is written in UTC") }
        if isLeast { key.bounds.earliest = moment } else { key.bounds.latest = moment }
    }

    private mutating func readValues(_ key: inout SpecifiedKey, _ element: XMLElement, _ path: SpecifiedPath) {
        var ruled = key.item.first ?? key
        guard [.string, .integer, .real].contains(ruled.type) else {
            return notes.lose(path, "enum", "dates and booleans have no list of values")
        }
        var choices: [SpecifiedChoice] = []
        for child in element.children {
            guard child.localName == "value", let read = ScalarText.value(child.text, as: ruled.type) else {
                notes.lose(path, "enum", "a value is not of the key's type, and left out")
                continue
            }
            if read.isLenient { notes.warn(path, "enum", "a value is not written as the schema wants it") }
            choices.append(SpecifiedChoice(value: read.value))
        }
        guard !choices.isEmpty else { return notes.lose(path, "enum", "it lists nothing") }
        ruled.choices = choices
        if key.item.isEmpty { key = ruled } else { key.item = [ruled] }
    }
}
