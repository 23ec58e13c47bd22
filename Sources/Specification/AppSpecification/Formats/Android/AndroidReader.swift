import Foundation
import InputBounds

extension AndroidRestrictions {
    static func read(
        _ data: Data, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        let document: XMLElement
        do {
            document = try XMLElement(parsing: data, limits: limits)
        } catch {
            throw SpecificationRefusal(place: "", rule: "is no acceptable XML: \(error.sentence)")
        }
        guard document.localName == root else { throw SpecificationRefusal(place: "", rule: "is no file of \(name)") }
        guard let bundleIdentifier else {
            throw SpecificationRefusal(
                place: "/x-app/bundleIdentifier", rule: "\(name) name no app; say which one it is about")
        }
        let named = document.attributes.first { $0.value == namespace && $0.key.hasPrefix("xmlns:") }?.key.dropFirst(6)
        var reader = AndroidReader(prefix: named.map(String.init) ?? "android")
        if document.hasTextBetweenElements { reader.notes.lose([], root, "text stands between its elements") }
        var key = SpecifiedKey("", .dictionary)
        key.keys = reader.readKeys(document.children, at: [])
        return try reader.notes.converted(SpecifiedApp(bundleIdentifier: bundleIdentifier), key)
    }
}

/// Reads restrictions, whatever of them can be understood.
private struct AndroidReader {
    let prefix: String
    var notes = ConversionNotes()

    init(prefix: String) { self.prefix = prefix }

    private static let attributes: Set = [
        "key", "title", "description", "restrictionType", "defaultValue", "entries", "entryValues",
    ]

    mutating func readKeys(_ elements: [XMLElement], at path: SpecifiedPath) -> [SpecifiedKey] {
        var (keys, names): ([SpecifiedKey], Set<String>) = ([], [])
        for element in elements {
            guard element.localName == "restriction" else {
                notes.lose(path, element.localName, "the format has no such element")
                continue
            }
            guard let name = text(element, "key", at: path, "key"), !name.isEmpty else {
                notes.lose(path, "key", "a restriction without a key is left out")
                continue
            }
            guard names.insert(name).inserted else {
                notes.lose(path + .key(name), "properties", "the key comes twice; the first counts")
                continue
            }
            if let key = readKey(name, element, at: path + .key(name)) { keys.append(key) }
        }
        return SpecifiedKey.numbered(keys)
    }

    private mutating func readKey(_ name: String, _ element: XMLElement, at path: SpecifiedPath) -> SpecifiedKey? {
        let word = attribute(element, "restrictionType") ?? ""
        guard var key = typed(name, word) else {
            notes.lose(path, "properties", "the key is left out: the format has no type of that name")
            return nil
        }
        key.title = text(element, "title", at: path, "title")
        key.description = text(element, "description", at: path, "description")
        if key.title == nil { notes.warn(path, "title", "\(AndroidRestrictions.name) want one") }
        readDefault(&key, element, at: path)
        if word == "choice" || word == "multi-select" {
            notes.lose(key.item.isEmpty ? path : path + .item, "enum", "the values stand in another file")
        } else if attribute(element, "entries") ?? attribute(element, "entryValues") != nil {
            notes.lose(path, "enum", "only a choice has values")
        }
        readInside(&key, element, at: path)
        for (name, _) in element.attributes.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("xmlns") {
            let local = name.split(separator: ":").last.map(String.init) ?? name
            if !Self.attributes.contains(local) { notes.lose(path, local, "a specification has no place for it") }
        }
        return key
    }

    private func typed(_ name: String, _ word: String) -> SpecifiedKey? {
        switch word {
        case "string", "choice": return SpecifiedKey(name, .string)
        case "bool": return SpecifiedKey(name, .boolean)
        case "integer": return SpecifiedKey(name, .integer)
        case "bundle": return SpecifiedKey(name, .dictionary)
        case "bundle_array": return SpecifiedKey(name, .array)
        case "hidden":
            var key = SpecifiedKey(name, .string)
            key.isHidden = true
            return key
        case "multi-select":
            var key = SpecifiedKey(name, .array)
            key.item = [SpecifiedKey("", .string)]
            return key
        default: return nil
        }
    }

    private mutating func readDefault(_ key: inout SpecifiedKey, _ element: XMLElement, at path: SpecifiedPath) {
        guard let written = attribute(element, "defaultValue") else {
            if key.isHidden { notes.warn(path, "default", "what is hidden wants one") }
            return
        }
        guard AndroidRestrictions.reference(written) == nil else {
            return notes.lose(path, "default", "it stands in another file")
        }
        guard key.type != .array, key.type != .dictionary,
            let read = ScalarText.value(AndroidRestrictions.unescaped(written), as: key.type)
        else { return notes.lose(path, "default", "it is not of the key's type") }
        if read.isLenient { notes.warn(path, "default", "it is not written as the format wants it") }
        key.defaultValue = read.value
    }

    private mutating func readInside(_ key: inout SpecifiedKey, _ element: XMLElement, at path: SpecifiedPath) {
        switch key.type {
        case .dictionary:
            if path.steps.last != .item {
                notes.warn(path, "bundle", "it stands outside of a list, where not all servers show it")
            }
            key.keys = readKeys(element.children, at: path)
        case .array where key.item.isEmpty:
            let bundles = element.children.filter { attribute($0, "restrictionType") == "bundle" }
            if let first = bundles.first, bundles.count == element.children.count {
                if bundles.count > 1 {
                    notes.lose(path, "bundle", "a list has one kind of dictionaries; the first counts")
                }
                if attribute(first, "key") != attribute(element, "key").map({ $0 + "_item" }) {
                    notes.lose(path + .item, "key", "what a list holds has no name")
                }
                if let item = readKey("", first, at: path + .item) { key.item = [item] }
            } else if !element.children.isEmpty {
                notes.warn(path, "bundle_array", "its keys are taken for those of the dictionaries in it")
                var item = SpecifiedKey("", .dictionary)
                item.keys = readKeys(element.children, at: path + .item)
                key.item = [item]
            }
        default:
            if !element.children.isEmpty { notes.lose(path, "restriction", "a value of this type has none inside") }
        }
    }

    // MARK: Attributes

    private func attribute(_ element: XMLElement, _ name: String) -> String? {
        element.attributes[prefix + ":" + name] ?? element.attributes[name]
    }

    /// A text; of one in another file, its name.
    private mutating func text(
        _ element: XMLElement, _ name: String, at path: SpecifiedPath, _ keyword: String
    ) -> String? {
        guard let written = attribute(element, name) else { return nil }
        guard let reference = AndroidRestrictions.reference(written) else {
            return AndroidRestrictions.unescaped(written)
        }
        notes.warn(path, keyword, "it stands in another file, under the name \(reference.prefix(64))")
        return reference
    }
}
