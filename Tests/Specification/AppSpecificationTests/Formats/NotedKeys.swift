import AppSpecification
import InputBounds
import Testing

/// Takes from a tree what notes say is not carried, by means of its own.
struct NotedKeys {
    private(set) var root: SpecifiedKey
    private let original: SpecifiedKey
    private let identifier: String
    /// What `allOf` of the whole configuration held, and what of it is lost.
    private let conditions: Int
    private var lostConditions: Set<String> = []

    init(_ specification: AppSpecification) {
        root = specification.configuration
        original = root
        identifier = specification.app.bundleIdentifier
        conditions = specification.document["allOf"]?.array?.count ?? 0
    }

    /// Applies the notes; those about whole keys last.
    mutating func apply(_ notes: [ConversionNote]) {
        for note in notes where note.keyword != "properties" { change(note) }
        for note in notes where note.keyword == "properties" {
            #expect(note.kind == .loss)
            Self.edit(&root, note.path.steps.dropLast()) { key in
                guard case .key(let name)? = note.path.steps.last else { return }
                #expect(key[name] != nil, "\(note) is of no key that is there")
                key.keys.removeAll { $0.name == name }
            }
        }
    }

    private mutating func change(_ note: ConversionNote) {
        if note.path.steps.isEmpty, note.keyword.hasPrefix("x-") { return }
        if note.path.steps.isEmpty, note.keyword.hasPrefix("allOf[") {
            let known = (0..<conditions).map { "allOf[\($0)]" }
            #expect(known.contains(note.keyword) && lostConditions.insert(note.keyword).inserted, "\(note)")
            if lostConditions.count == conditions { root.others.removeAll { $0 == "allOf" } }
            return
        }
        var was: SpecifiedKey?
        var before = original
        Self.edit(&before, note.path.steps[...]) { was = $0 }
        guard let was else {
            Issue.record("\(note) is of no key")
            return
        }
        let identifier = identifier
        Self.edit(&root, note.path.steps[...]) { key in
            let old = key
            switch (note.kind, note.keyword) {
            case (.loss, let keyword) where was.others.contains(keyword):
                key.others.removeAll { $0 == keyword }
                if keyword == "allOf" { key.conditions = [] }
            case (.loss, let keyword) where was.annotations.contains(keyword):
                key.annotations.removeAll { $0 == keyword }
            case (.loss, "type"):
                key.type = .string
                key.defaultValue = key.defaultValue.map { .string(Self.words($0)) }
            case (.loss, "items"): key.item = []
            case (.loss, let keyword): Self.clear(keyword, &key)
            case (.warning, "x-order"): return
            case (.warning, "title"): key.title = note.path.steps.isEmpty ? identifier : Self.name(note.path)
            case (.warning, "description") where note.path.steps.isEmpty: key.description = key.title ?? identifier
            case (.warning, "x-enum-titles"):
                key.choices = key.choices.map {
                    $0.map { .init(value: $0.value, title: $0.title ?? Self.words($0.value)) }
                }
            default: Issue.record("a note of another kind: \(note)")
            }
            #expect(key != old || note.keyword.hasPrefix("x-enum"), "\(note) is of nothing that is there")
        }
    }

    /// A title that was made up is the name of the key, or of the list it is in.
    private static func name(_ path: SpecifiedPath) -> String {
        for step in path.steps.reversed() { if case .key(let name) = step { return name } }
        return ""
    }

    private static func words(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    }

    private static func edit(
        _ key: inout SpecifiedKey, _ steps: ArraySlice<SpecifiedPath.Step>, _ change: (inout SpecifiedKey) -> Void
    ) {
        switch steps.first {
        case nil: change(&key)
        case .value: if !key.values.isEmpty { edit(&key.values[0], steps.dropFirst(), change) }
        case .item: if !key.item.isEmpty { edit(&key.item[0], steps.dropFirst(), change) }
        case .key(let name):
            guard let index = key.keys.firstIndex(where: { $0.name == name }) else { return }
            edit(&key.keys[index], steps.dropFirst(), change)
        }
    }

    private static func clear(_ keyword: String, _ key: inout SpecifiedKey) {
        switch keyword {
        case "title": key.title = nil
        case "description": key.description = nil
        case "required": key.isRequired = false
        case "default": key.defaultValue = nil
        case "examples": key.examples = []
        case "enum": key.choices = nil
        case "x-enum-titles": key.choices = key.choices.map { $0.map { .init(value: $0.value) } }
        case "deprecated": key.deprecation = nil
        case "x-deprecated.since": key.deprecation?.since = nil
        case "x-deprecated.until": key.deprecation?.until = nil
        case "x-deprecated.replacedBy": key.deprecation?.replacedBy = nil
        case "x-deprecated.note": key.deprecation?.note = nil
        case "x-since": key.since = nil
        case "x-order": key.order = nil
        case "x-ui.group": key.group = nil
        case "x-ui.hidden": key.isHidden = false
        case "x-sensitive": key.isSensitive = false
        case "x-variable": key.variable = nil
        case "x-i18n": key.translations = [:]
        case "additionalProperties": (key.isOpen, key.values) = (true, [])
        default: clear(bound: keyword, &key.bounds)
        }
    }

    private static func clear(bound keyword: String, _ bounds: inout SpecifiedBounds) {
        switch keyword {
        case "minimum": bounds.minimum = nil
        case "maximum": bounds.maximum = nil
        case "exclusiveMinimum": bounds.exclusiveMinimum = nil
        case "exclusiveMaximum": bounds.exclusiveMaximum = nil
        case "multipleOf": bounds.multipleOf = nil
        case "minLength": bounds.minLength = nil
        case "maxLength": bounds.maxLength = nil
        case "pattern": bounds.pattern = nil
        case "format": bounds.format = nil
        case "minItems": bounds.minItems = nil
        case "maxItems": bounds.maxItems = nil
        case "uniqueItems": bounds.uniqueItems = false
        case "minProperties": bounds.minProperties = nil
        case "maxProperties": bounds.maxProperties = nil
        case "x-minimum": bounds.earliest = nil
        case "x-maximum": bounds.latest = nil
        case "x-minBytes": bounds.minBytes = nil
        case "x-maxBytes": bounds.maxBytes = nil
        default: Issue.record("a note of an unknown keyword: \(keyword)")
        }
    }
}

extension SpecifiedKey {
    /// The same without its numbers; its neighbours' order is that of the list.
    var unnumbered: SpecifiedKey {
        var key = self
        key.order = nil
        key.keys = keys.map(\.unnumbered)
        key.item = item.map(\.unnumbered)
        key.values = values.map(\.unnumbered)
        return key
    }

    /// Where two trees differ, for a failed test.
    func difference(from other: SpecifiedKey, at path: String = "") -> String? {
        if self == other { return nil }
        if keys.map(\.name) != other.keys.map(\.name) {
            return "\(path): \(keys.map(\.name)) / \(other.keys.map(\.name))"
        }
        for (one, two) in zip(keys, other.keys) {
            if let difference = one.difference(from: two, at: path + "/" + one.name) { return difference }
        }
        if let one = item.first, let two = other.item.first, let difference = one.difference(from: two, at: path + "[]")
        {
            return difference
        }
        let (mine, others) = (schema, other.schema)
        let words = Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }.sorted()
        return
            "\(path): \(words.map { "\($0): \(mine[$0].map { "\($0)" } ?? "nothing") / \(others[$0].map { "\($0)" } ?? "nothing")" }) required \(isRequired)/\(other.isRequired) type \(type)/\(other.type) others \(self.others)/\(other.others)"
    }
}
