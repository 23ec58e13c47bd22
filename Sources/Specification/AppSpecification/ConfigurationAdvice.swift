import InputBounds
import JSONSchema

/// What a specification advises that no schema forbids: keys that the app does not know, and such as should go.
///
/// The keys are put where they are found at once, since most configurations hold nothing to advise about.
struct ConfigurationAdvice: Sendable {
    private struct Place: Sendable {
        var deprecation: SpecifiedDeprecation?
        /// What a dictionary's keys lead to.
        var named: [String: Int] = [:]
        /// Whether the app passes over keys that are not named.
        var isComplete = false
        /// What its other keys lead to.
        var others: Int?
        /// What a list's items lead to.
        var item: Int?
    }

    private var places: [Place] = []

    init(_ configuration: SpecifiedKey) { _ = add(configuration) }

    private mutating func add(_ key: SpecifiedKey) -> Int {
        let index = places.count
        places.append(Place(deprecation: key.deprecation))
        for inner in key.keys { places[index].named[inner.name] = add(inner) }
        places[index].isComplete = !key.keys.isEmpty && key.listsAllKeys
        places[index].others = key.values.first.map { add($0) }
        places[index].item = key.item.first.map { add($0) }
        return index
    }

    func findings(in configuration: PropertyListValue, most: Int) -> [ConfigurationFinding] {
        guard most > 0, isDue(configuration, 0) else { return [] }
        var notes = Notes(most: most)
        look(at: configuration, 0, &notes)
        return notes.findings
    }

    /// Whether there is anything to say.
    private func isDue(_ value: PropertyListValue, _ index: Int) -> Bool {
        switch value {
        case .dictionary(let entries):
            let place = places[index]
            return entries.contains { name, entry in
                guard let inner = place.named[name] ?? place.others else { return place.isComplete }
                return places[inner].deprecation != nil || isDue(entry, inner)
            }
        case .array(let items):
            guard let item = places[index].item else { return false }
            return items.contains { isDue($0, item) }
        default: return false
        }
    }

    private struct Notes {
        let most: Int
        var findings: [ConfigurationFinding] = []
        var path = InstancePath()

        mutating func add(_ rule: String, _ message: String, _ suggestion: String?) {
            guard findings.count < most else { return }
            findings.append(ConfigurationFinding(.warning, path, rule, message, suggestion: suggestion))
        }
    }

    private func look(at value: PropertyListValue, _ index: Int, _ notes: inout Notes) {
        guard notes.findings.count < notes.most else { return }
        let place = places[index]
        switch value {
        case .dictionary(let entries):
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                notes.path.steps.append(.key(name))
                if let inner = place.named[name] ?? place.others {
                    noteDeprecation(places[inner].deprecation, &notes)
                    look(at: entry, inner, &notes)
                } else if place.isComplete, notes.findings.count < notes.most {
                    notes.add(
                        "unknownKey", "is not a key that the app knows: it ignores it",
                        NearestWord.to(name, among: place.named.keys).map { "Did you mean \"\($0)\"?" })
                }
                notes.path.steps.removeLast()
            }
        case .array(let items):
            guard let item = place.item else { return }
            for (position, entry) in items.enumerated() {
                notes.path.steps.append(.index(position))
                look(at: entry, item, &notes)
                notes.path.steps.removeLast()
            }
        default: return
        }
    }

    private func noteDeprecation(_ deprecation: SpecifiedDeprecation?, _ notes: inout Notes) {
        guard let deprecation else { return }
        let since = deprecation.since.map { " since version \($0)" } ?? ""
        let until = deprecation.until.map { "; the app reads it until version \($0)" } ?? ""
        notes.add(
            "deprecated", "should not be used any more\(since)\(until)",
            deprecation.replacedBy.map { "Use \"\($0)\"" } ?? deprecation.note)
    }
}
