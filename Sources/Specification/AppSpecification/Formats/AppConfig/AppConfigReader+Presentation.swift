import InputBounds

extension AppConfigReader {
    /// Adds to keys what consoles show of them.
    mutating func present(_ keys: inout [SpecifiedKey], _ element: XMLElement, _ further: inout [String: JSONValue]) {
        var locale = "en"
        if let named = element.attributes["defaultLocale"], AppConfigXML.isLanguage(named) {
            locale = named
        } else {
            notes.warn([], "defaultLocale", "no language is named; the words are taken for English")
        }
        further["x-locale"] = .string(locale)
        var seen: [String] = []
        for child in element.children {
            switch child.localName {
            case "field": present(&keys, child, group: nil, locale, &seen)
            case "fieldGroup":
                let group = child.child("name").flatMap { words($0, locale, [], "x-ui.group") }
                if group?.others.isEmpty == false { notes.lose([], "x-ui.group", "a heading is kept in one language") }
                if group?.own == nil {
                    notes.lose([], "x-ui.group", "a heading has no words in the file's own language")
                }
                for part in child.children where part.localName != "name" {
                    if part.localName == "field" {
                        present(&keys, part, group: group?.own, locale, &seen)
                    } else {
                        notes.lose([], part.localName, "the format has no such element there")
                    }
                }
            default: notes.lose([], child.localName, "the format has no such element there")
            }
        }
        order(&keys, as: seen)
    }

    /// Where fields stand otherwise than their keys do, it is the fields that people see.
    private func order(_ keys: inout [SpecifiedKey], as seen: [String]) {
        guard keys.map(\.name).filter(Set(seen).contains) != seen else { return }
        let places = Dictionary(seen.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        keys = keys.enumerated().sorted {
            (places[$0.element.name] ?? .max, $0.offset) < (places[$1.element.name] ?? .max, $1.offset)
        }.map(\.element)
    }

    private mutating func present(
        _ keys: inout [SpecifiedKey], _ field: XMLElement, group: String?, _ locale: String, _ seen: inout [String]
    ) {
        guard let name = field.attributes["keyName"], let index = keys.firstIndex(where: { $0.name == name }) else {
            let path: SpecifiedPath = field.attributes["keyName"].map { [.key($0)] } ?? []
            return notes.lose(path, "field", "there is no such key")
        }
        let path: SpecifiedPath = [.key(name)]
        guard !seen.contains(name) else { return notes.lose(path, "field", "the key has two; the first counts") }
        seen.append(name)
        let type = field.attributes["type"] ?? ""
        if !["input", "select", "multiselect", "checkbox", "hidden", "datetime", "list"].contains(type) {
            notes.warn(path, "type", "the format has no control of that name")
        }
        keys[index].group = group
        keys[index].isHidden = type == "hidden"
        for child in field.children {
            switch child.localName {
            case "label":
                let label = words(child, locale, path, "title")
                keys[index].title = label.own
                for (tag, text) in label.others { keys[index].translations[tag, default: .init()].title = text }
            case "description":
                let description = words(child, locale, path, "description")
                keys[index].description = description.own
                for (tag, text) in description.others {
                    keys[index].translations[tag, default: .init()].description = text
                }
            case "options": readOptions(&keys[index], child, locale, path)
            default: notes.lose(path, child.localName, "the format has no such element there")
            }
        }
    }

    /// The words of a label in the file's own language, and in others.
    private mutating func words(
        _ element: XMLElement, _ locale: String, _ path: SpecifiedPath, _ keyword: String
    ) -> (own: String?, others: [String: String]) {
        var (own, others): (String?, [String: String]) = (nil, [:])
        for child in element.children {
            guard child.localName == "language" else {
                notes.lose(path, child.localName, "the format has no such element there")
                continue
            }
            let tag = child.attributes["value"]
            if tag == nil { notes.warn(path, keyword, "words name no language; they are taken for \(locale)") }
            if tag == nil || tag == locale {
                if own != nil { notes.lose(path, keyword, "it stands there twice in one language; the last counts") }
                own = child.text
            } else if let tag, AppConfigXML.isLanguage(tag) {
                if others.updateValue(child.text, forKey: tag) != nil {
                    notes.lose(path, "x-i18n", "it stands there twice in one language; the last counts")
                }
            } else {
                notes.lose(path, "x-i18n", "a language tag is malformed")
            }
        }
        if element.children.isEmpty, element.text.contains(where: { !$0.isWhitespace }) {
            notes.warn(path, keyword, "words name no language; they are taken for \(locale)")
            own = element.text
        }
        return (own, others)
    }

    private mutating func readOptions(
        _ key: inout SpecifiedKey, _ element: XMLElement, _ locale: String, _ path: SpecifiedPath
    ) {
        let isList = !key.item.isEmpty
        guard var choices = (key.item.first ?? key).choices else {
            return notes.lose(path, "options", "they are of a key that does not list its values")
        }
        let type = (key.item.first ?? key).type
        var selected: [JSONValue] = []
        for option in element.children {
            guard option.localName == "option",
                let value = ScalarText.value(option.attributes["value"] ?? "", as: type)?.value,
                choices.contains(where: { $0.value == value })
            else {
                notes.lose(path, "option", "it is none of the values that the key may have")
                continue
            }
            let label = words(option, locale, path, "x-enum-titles")
            if !label.others.isEmpty { notes.lose(path, "x-enum-titles", "titles of values are kept in one language") }
            for index in choices.indices where choices[index].value == value { choices[index].title = label.own }
            if ScalarText.value(option.attributes["selected"] ?? "", as: .boolean)?.value == .boolean(true) {
                selected.append(value)
            }
        }
        if isList { key.item[0].choices = choices } else { key.choices = choices }
        select(selected, &key, path)
    }

    /// What is selected is the default, which should have been said.
    private mutating func select(_ selected: [JSONValue], _ key: inout SpecifiedKey, _ path: SpecifiedPath) {
        guard !selected.isEmpty, key.variable == nil else { return }
        if let value = key.defaultValue {
            if !selected.allSatisfy((value.array ?? [value]).contains) {
                notes.warn(path, "option", "another value is selected than the default, which counts")
            }
        } else if !key.item.isEmpty || selected.count == 1 {
            key.defaultValue = key.item.isEmpty ? selected[0] : .array(selected)
            notes.warn(path, "default", "what is selected is taken for the default")
        } else {
            notes.lose(path, "option", "several values are selected where one is wanted")
        }
    }
}
