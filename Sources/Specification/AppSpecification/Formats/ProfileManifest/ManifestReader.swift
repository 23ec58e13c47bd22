import Foundation
import InputBounds

extension ProfileManifest {
    static func read(
        _ data: Data, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        let manifest: PropertyListValue
        do {
            manifest = try PropertyListValue(parsing: data, limits: limits)
        } catch {
            throw SpecificationRefusal(place: "", rule: "is no acceptable property list: \(error.sentence)")
        }
        guard manifest["pfm_subkeys"]?.array != nil else {
            throw SpecificationRefusal(place: "", rule: "is no profile manifest: it has no pfm_subkeys")
        }
        var reader = ManifestReader()
        return try reader.read(manifest, bundleIdentifier: bundleIdentifier)
    }
}

/// Reads a manifest, whatever of it can be understood.
struct ManifestReader {
    var notes = ConversionNotes()
    var rules: [JSONValue] = []
    /// Controls of the manifest's editor, on which no condition can depend.
    private(set) var controls: Set<String> = []

    // Keys of every payload, which are the profile's and not the app's.
    private static let payloadKeys: Set = [
        "PayloadDescription", "PayloadDisplayName", "PayloadIdentifier", "PayloadOrganization", "PayloadType",
        "PayloadUUID", "PayloadVersion",
    ]

    mutating func read(
        _ manifest: PropertyListValue, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        var words = ManifestWords(manifest)
        let domain = words.text("pfm_domain")
        guard let identifier = bundleIdentifier ?? domain else {
            throw SpecificationRefusal(
                place: "/x-app/bundleIdentifier", rule: "the manifest has no pfm_domain; say which app it is about")
        }
        if let domain, domain != identifier {
            notes.warn([], "pfm_domain", "another bundle identifier was asked for, and is taken")
        }
        var app = SpecifiedApp(
            bundleIdentifier: identifier, title: words.text("pfm_title"), description: words.text("pfm_description"))
        for platform in words.list("pfm_platforms") ?? [] {
            if let name = platform.string { app.platforms[name] = .some(nil) }
        }
        for platform in ProfileManifest.platforms {
            guard let word = ProfileManifest.leastVersion(platform), let version = words.text(word) else { continue }
            app.platforms[platform] = .some(version)
        }
        var root = SpecifiedKey("", .dictionary)
        let subkeys = words.list("pfm_subkeys") ?? []
        gatherControls(of: subkeys)
        readKeys(of: &root, subkeys, at: [])
        for (word, value) in ProfileManifest.envelope where manifest[word] == value { words.leave(word) }
        loseRest(of: words, at: [])
        return try notes.converted(app, root, further: rules.isEmpty ? [:] : ["allOf": .array(rules)])
    }

    private mutating func readKeys(
        of dictionary: inout SpecifiedKey, _ entries: [PropertyListValue], at path: SpecifiedPath
    ) {
        var (keys, names): ([SpecifiedKey], Set<String>) = ([], [])
        for entry in entries {
            guard let name = entry["pfm_name"]?.string, !name.isEmpty else {
                notes.lose(path, "pfm_name", "a key without a name is left out")
                continue
            }
            let inner = path + .key(name)
            if Self.isControl(entry) {
                notes.lose(inner, "properties", "the key is left out: it is a control of the manifest's editor")
            } else if path.steps.isEmpty, Self.payloadKeys.contains(name) {
                notes.lose(inner, "properties", "the key is left out: it is the profile's, not the app's")
            } else if !names.insert(name).inserted {
                notes.lose(inner, "properties", "the key comes twice; the first counts")
            } else if let placeholder = KeyPlaceholder.word(in: name) {
                readChosenKey(placeholder, of: &dictionary, entry, at: path)
            } else if let key = readKey(name, entry, at: inner) {
                keys.append(key)
            }
        }
        dictionary.keys = SpecifiedKey.numbered(keys)
    }

    mutating func readKey(
        _ name: String, _ entry: PropertyListValue, at path: SpecifiedPath
    ) -> SpecifiedKey? {
        var words = ManifestWords(entry)
        if words.text("pfm_name") != nil, path.steps.last == .item {
            notes.lose(path, "pfm_name", "what a list holds has no name")
        }
        let word = words.text("pfm_type") ?? ""
        let named = Self.types[word.lowercased()] ?? word
        guard let type = SpecifiedType(rawValue: named), type != .any else {
            notes.lose(path, "properties", "the key is left out: \(ProfileManifest.name) has no type of that name")
            return nil
        }
        if named != word { notes.warn(path, "pfm_type", "it is taken for \(named)") }
        var key = SpecifiedKey(name, type)
        let subkeys = words.list("pfm_subkeys") ?? []
        if type == .dictionary { readKeys(of: &key, subkeys, at: path) }
        if type == .array, let first = subkeys.first {
            if let item = readKey("", first, at: path + .item) { key.item = [item] }
            if subkeys.count > 1 { notes.lose(path, "pfm_subkeys", "a list has one kind of items; the first counts") }
        }
        if type != .array, type != .dictionary, !subkeys.isEmpty {
            notes.lose(path, "pfm_subkeys", "a value of this type has none inside")
        }
        readWords(&key, &words, at: path)
        readValues(&key, &words, at: path)
        readConditions(of: key, &words, at: path)
        loseRest(of: words, at: path)
        return key
    }

    // Words for types that published manifests have beside the format's own.
    private static let types = [
        "float": "real", "double": "real", "number": "real", "bool": "boolean", "int": "integer", "dict": "dictionary",
        "url": "string", "string": "string", "integer": "integer", "real": "real", "boolean": "boolean",
        "date": "date", "data": "data", "array": "array", "dictionary": "dictionary",
    ]

    mutating func gatherControls(of entries: [PropertyListValue]) {
        for entry in entries {
            if Self.isControl(entry), let name = entry["pfm_name"]?.string { controls.insert(name) }
            gatherControls(of: entry["pfm_subkeys"]?.array ?? [])
        }
    }

    private mutating func loseRest(of words: ManifestWords, at path: SpecifiedPath) {
        for word in words.rest { notes.lose(path, String(word.prefix(64)), "a specification has no place for it") }
    }
}

/// The words of a manifest or of one of its keys, and which have not been read.
struct ManifestWords {
    private var entries: [String: PropertyListValue]

    init(_ value: PropertyListValue) { entries = value.dictionary ?? [:] }

    var rest: [String] { entries.keys.sorted() }

    mutating func leave(_ word: String) { entries[word] = nil }

    /// A value, if it is of the right kind; otherwise the word stays unread.
    mutating func take<Value>(_ word: String, _ read: (PropertyListValue) -> Value?) -> Value? {
        guard let value = entries[word].flatMap(read) else { return nil }
        entries[word] = nil
        return value
    }

    mutating func text(_ word: String) -> String? { take(word) { $0.string } }
    mutating func flag(_ word: String) -> Bool? { take(word) { $0.bool } }
    mutating func list(_ word: String) -> [PropertyListValue]? { take(word) { $0.array } }
    mutating func any(_ word: String) -> PropertyListValue? { take(word) { $0 } }
}
