import InputBounds

/// Takes from keys what a format has no place for, and lists it, so that what is left can be written whole.
struct KeyReduction {
    /// The format, as a sentence names it.
    let format: String
    private(set) var notes: [ConversionNote] = []

    init(for format: String) { self.format = format }

    /// Leaves a key nothing but these facets.
    mutating func keep(_ keywords: Set<String>, of key: inout SpecifiedKey, at path: SpecifiedPath) {
        for facet in SpecifiedFacet.all where !keywords.contains(facet.keyword) && facet.value(key) != nil {
            lose(facet.keyword, of: &key, at: path)
        }
        for keyword in key.others + key.annotations {
            notes.append(.init(.loss, path, keyword, "there is no place for it in \(format)"))
        }
        (key.others, key.annotations, key.conditions) = ([], [], [])
    }

    /// Takes one facet from a key, if it has it.
    mutating func lose(
        _ keyword: String, of key: inout SpecifiedKey, at path: SpecifiedPath, because reason: String? = nil
    ) {
        guard let facet = SpecifiedFacet.named[keyword], facet.value(key) != nil else { return }
        facet.clear(&key)
        notes.append(.init(.loss, path, keyword, reason ?? "there is no place for it in \(format)"))
    }

    /// Says that a whole key is left out.
    mutating func leaveOut(_ path: SpecifiedPath, because reason: String) {
        notes.append(.init(.loss, path, "properties", "the key is left out: \(reason)"))
    }

    mutating func note(_ note: ConversionNote) { notes.append(note) }

    /// Takes what holds characters that XML has no form for; tells whether the key itself is such a one.
    mutating func loseWhatXMLCannotHold(of key: inout SpecifiedKey, at path: SpecifiedPath) -> Bool {
        let reason = "it holds a character that XML has no form for"
        guard XMLWriter.canHold(key.name) else {
            leaveOut(path, because: reason)
            return false
        }
        for facet in SpecifiedFacet.all {
            if let value = facet.value(key), !Self.canBeXML(value) {
                lose(facet.keyword, of: &key, at: path, because: reason)
            }
        }
        return true
    }

    /// Whether XML has a form for every character of a value.
    static func canBeXML(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): XMLWriter.canHold(text)
        case .array(let items): items.allSatisfy(canBeXML)
        case .object(let entries): entries.allSatisfy { XMLWriter.canHold($0.key) && canBeXML($0.value) }
        default: true
        }
    }

    /// Numbers neighbours as a format does that keeps their order alone.
    mutating func number(_ keys: inout [SpecifiedKey], at path: SpecifiedPath) {
        let numbered = SpecifiedKey.numbered(keys)
        for (old, new) in zip(keys, numbered) where old.order != new.order {
            notes.append(
                .init(
                    .warning, path + .key(old.name), "x-order",
                    "the order of keys is kept in \(format), not their numbers"))
        }
        keys = numbered
    }
}

extension SpecifiedKey {
    /// Neighbours in the order in which a document has them: numbered only where it is not that of their names.
    static func numbered(_ keys: [SpecifiedKey]) -> [SpecifiedKey] {
        let isByName = zip(keys, keys.dropFirst()).allSatisfy { $0.name < $1.name }
        return keys.enumerated().map { index, key in
            var key = key
            key.order = isByName ? nil : index + 1
            return key
        }
    }
}

extension AppSpecification {
    /// What a format for keys alone leaves out of all that surrounds them.
    func lossesAroundKeys(of format: String, except carried: Set<String> = []) -> [ConversionNote] {
        var lost: [String] = []
        if app.version != nil { lost.append("x-app.version") }
        if !app.platforms.isEmpty { lost.append("x-app.platforms") }
        if app.website != nil { lost.append("x-app.website") }
        if app.title != nil { lost.append("title") }
        if app.description != nil { lost.append("description") }
        let annotations = [
            "x-locale", "x-revision", "x-secrets", "x-errors", "x-feedback", "x-samples", "x-extensions",
        ]
        lost += annotations.filter { document[$0] != nil }
        return lost.filter { !carried.contains($0) }.map {
            ConversionNote(.loss, [], $0, "there is no place for it in \(format)")
        }
    }
}

extension [ConversionNote] {
    /// Which keys are left out and why, the first few of them, for a format that can carry none.
    var keysLeftOut: String {
        let left = filter { $0.kind == .loss && $0.keyword == "properties" }
        let prefix = "the key is left out: "
        let named = left.prefix(5).map { note in
            let reason = note.explanation.hasPrefix(prefix) ? note.explanation.dropFirst(prefix.count) : "left out"
            return "\(note.path) (\(reason))"
        }
        return named.joined(separator: ", ") + (left.count > 5 ? " and \(left.count - 5) more" : "")
    }
}
