import Foundation
import InputBounds

extension AppConfigXML {
    static func read(
        _ data: Data, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        let document: XMLElement
        do {
            document = try XMLElement(parsing: data, limits: limits)
        } catch {
            throw SpecificationRefusal(place: "", rule: "is no acceptable XML: \(error.sentence)")
        }
        guard document.localName == root else { throw SpecificationRefusal(place: "", rule: "is no \(name)") }
        var reader = AppConfigReader()
        return try reader.read(document, bundleIdentifier: bundleIdentifier)
    }
}

/// Reads a specification file, whatever of it can be understood.
struct AppConfigReader {
    var notes = ConversionNotes()

    private static let parts = ["license", "version", "bundleId", "dict", "presentation"]

    mutating func read(
        _ document: XMLElement, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        let places = document.children.compactMap { Self.parts.firstIndex(of: $0.localName) }
        if places != places.sorted() {
            notes.warn([], AppConfigXML.root, "its parts are not in the order of the schema")
        }
        for (place, name) in Self.parts.enumerated() where places.filter({ $0 == place }).count > 1 {
            notes.lose([], name, "it comes more than once; the first counts")
        }
        for child in document.children where !Self.parts.contains(child.localName) {
            notes.lose([], child.localName, "the format has no such element")
        }
        if document.hasTextBetweenElements { notes.lose([], AppConfigXML.root, "text stands between its elements") }
        if document.child("license") != nil { notes.lose([], "license", "a specification has no place for it") }

        var app = SpecifiedApp(bundleIdentifier: try identifier(document, bundleIdentifier))
        var further: [String: JSONValue] = [:]
        readVersion(document, &app, &further)
        guard let dict = document.child("dict") else {
            throw SpecificationRefusal(place: "", rule: "\(AppConfigXML.name) wants an element dict")
        }
        var keys = readKeys(dict)
        if let presentation = document.child("presentation") { present(&keys, presentation, &further) }
        var root = SpecifiedKey("", .dictionary)
        root.keys = SpecifiedKey.numbered(keys)
        return try notes.converted(app, root, further: further)
    }

    private mutating func identifier(
        _ document: XMLElement, _ given: String?
    ) throws(SpecificationRefusal) -> String {
        let written = document.child("bundleId")?.text ?? ""
        let identifier = written.filter { !$0.isWhitespace }
        if identifier != written { notes.warn([], "bundleId", "white space around it is left out") }
        if let given, !identifier.isEmpty, given != identifier {
            notes.warn([], "bundleId", "another bundle identifier was asked for, and is taken")
        }
        guard let taken = given ?? (identifier.isEmpty ? nil : identifier) else {
            throw SpecificationRefusal(
                place: "/x-app/bundleIdentifier", rule: "the file names none; say which app it is about")
        }
        if identifier.isEmpty { notes.warn([], "bundleId", "the file names no bundle identifier") }
        return taken
    }

    private mutating func readVersion(
        _ document: XMLElement, _ app: inout SpecifiedApp, _ further: inout [String: JSONValue]
    ) {
        guard let element = document.child("version") else {
            return notes.warn([], "version", "the file names no version")
        }
        let text = element.text.filter { !$0.isWhitespace }
        if let revision = Int64(text) {
            further["x-revision"] = .integer(revision)
            if !(1...99_999).contains(revision) { notes.warn([], "version", "it is not between 1 and 99999") }
        } else if text.contains(where: \.isNumber) {
            app.version = text
            notes.warn([], "version", "it is no integer, and is taken for the app's own version")
        } else {
            notes.lose([], "version", "it is no number")
        }
    }

    // MARK: The dictionary

    private mutating func readKeys(_ dict: XMLElement) -> [SpecifiedKey] {
        var (keys, names): ([SpecifiedKey], Set<String>) = ([], [])
        for element in dict.children {
            guard let name = element.attributes["keyName"] else {
                notes.lose([], element.localName, "a key without keyName is left out")
                continue
            }
            let path: SpecifiedPath = [.key(name)]
            guard names.insert(name).inserted else {
                notes.lose(path, element.localName, "the key comes twice; the first counts")
                continue
            }
            guard var key = typed(name, element, path) else { continue }
            readConstraint(&key, element, path)
            if let value = element.child("defaultValue") { readDefault(&key, value, path) }
            let parts = element.children.map(\.localName)
            for part in parts where !["defaultValue", "constraint"].contains(part) {
                notes.lose(path, part, "the format has no such element there")
            }
            for attribute in element.attributes.keys.sorted() where attribute != "keyName" {
                notes.lose(path, attribute, "the format has no such attribute")
            }
            if let rules = parts.firstIndex(of: "constraint"), parts[rules...].contains("defaultValue") {
                notes.warn(path, "defaultValue", "it stands behind the constraint")
            }
            keys.append(key)
        }
        return keys
    }

    private static let aliases = [
        "bool": "boolean", "int": "integer", "double": "float", "real": "float", "number": "float", "datetime": "date",
    ]

    // Keys: ours.
    private static let words = Dictionary(
        uniqueKeysWithValues: [
            "string", "integer", "float", "date", "boolean", "stringArray", "integerArray", "floatArray",
        ]
        .map { ($0.lowercased(), $0) })

    private mutating func typed(_ name: String, _ element: XMLElement, _ path: SpecifiedPath) -> SpecifiedKey? {
        var word = element.localName
        if let other = Self.aliases[word.lowercased()] ?? Self.words[word.lowercased()], other != word {
            notes.warn(path, word, "it is taken for \(other)")
            word = other
        }
        let isArray = word.hasSuffix("Array")
        let base = isArray ? String(word.dropLast(5)) : word
        guard let type = AppConfigXML.scalars.first(where: { $0.name == base })?.type else {
            notes.lose(path, "properties", "the key is left out: the format has no type of that name")
            return nil
        }
        var key = SpecifiedKey(name, isArray ? .array : type)
        if isArray { key.item = [SpecifiedKey("", type)] }
        guard isArray, AppConfigXML.element(key) == nil else { return key }
        notes.lose(path, "properties", "the key is left out: the format has no type of that name")
        return nil
    }

    // MARK: Defaults

    private mutating func readDefault(_ key: inout SpecifiedKey, _ element: XMLElement, _ path: SpecifiedPath) {
        var values: [JSONValue] = []
        let type = key.item.first?.type ?? key.type
        for child in element.children {
            switch child.localName {
            case "value":
                guard let read = ScalarText.value(child.text, as: type) else {
                    notes.lose(path, "default", "it is not of the key's type")
                    continue
                }
                if read.isLenient { notes.warn(path, "default", "it is not written as the schema wants it") }
                values.append(read.value)
            case "userVariable", "deviceVariable": readVariable(&key, child, path)
            default: notes.lose(path, child.localName, "the format has no such element there")
            }
        }
        if key.type == .array {
            if key.variable == nil {
                key.defaultValue = .array(values)
            } else if !values.isEmpty {
                notes.lose(path, "default", "values beside a variable are left out")
            }
        } else if key.variable == nil {
            if element.children.isEmpty, let read = ScalarText.value(element.text, as: type), !element.text.isEmpty {
                notes.warn(path, "default", "it stands without an element value")
                values = [read.value]
            }
            if values.count > 1 { notes.lose(path, "default", "there are several for one value; the first counts") }
            if values.isEmpty, element.children.isEmpty { notes.warn(path, "default", "it is empty, and says nothing") }
            key.defaultValue = values.first
        } else if !values.isEmpty {
            notes.lose(path, "default", "a value beside a variable is left out")
        }
    }

    private mutating func readVariable(_ key: inout SpecifiedKey, _ element: XMLElement, _ path: SpecifiedPath) {
        let scope = element.localName == "userVariable" ? "user" : "device"
        let name = (element.attributes["value"] ?? element.text).filter { !$0.isWhitespace }
        if element.attributes["value"] == nil { notes.warn(path, "x-variable", "its name is no attribute") }
        guard key.type == .string || key.item.first?.type == .string else {
            return notes.lose(path, "x-variable", "only texts have variables")
        }
        guard key.variable == nil else { return notes.lose(path, "x-variable", "there are several; the first counts") }
        let known = AppConfigXML.variables[scope] ?? []
        guard
            let match = known.first(where: { $0 == name })
                ?? known.first(where: { $0.lowercased() == name.lowercased() })
        else { return notes.lose(path, "x-variable", "the format has no variable of the name \(name.prefix(64))") }
        if match != name { notes.warn(path, "x-variable", "it is taken for \(match)") }
        let variable = SpecifiedVariable(scope: scope, name: match)
        if ForeignVariable.ours(for: variable) == nil {
            notes.warn(path, "x-variable", "nothing here stands for \(match); an administrator writes the value itself")
        }
        key.variable = variable
    }
}
