import AppSpecification
import JSONSchema

/// Where each key of a configuration stands in a form, by the path that the server names it with.
struct FormOutline: Sendable {
    private var places: [String: FormPlace] = [:]
    private var paths: [FormPlace: String] = [:]
    private var keys: [String: SpecifiedKey] = [:]

    init(_ draft: FormDraft, as configuration: SpecifiedKey) {
        add(draft, configuration, FormPlace(), InstancePath())
    }

    /// The key's field, or that of the nearest that holds it; the form itself where nothing is shown for it.
    func place(of path: String) -> FormPlace {
        var text = path[...]
        while true {
            if let place = places[String(text)] { return place }
            guard let end = text.lastIndex(where: { $0 == "." || $0 == "[" }) else { return FormPlace() }
            text = text[..<end]
        }
    }

    /// What the specification says of it; nothing where no field stands for it.
    func key(at path: String) -> SpecifiedKey? { keys[path] }

    /// How people call a place.
    func path(of place: FormPlace) -> String { paths[place] ?? "" }

    private mutating func add(_ draft: FormDraft, _ key: SpecifiedKey, _ place: FormPlace, _ path: InstancePath) {
        places[path.description] = place
        paths[place] = path.description
        keys[path.description] = key
        switch draft {
        case .list(let items):
            let item = key.item.first ?? SpecifiedKey("", .any)
            for (index, entry) in items.enumerated() {
                add(entry, item, place.below(.item(index)), InstancePath(path.steps + [.index(index)]))
            }
        case .dictionary(let dictionary):
            for known in key.keys {
                add(
                    dictionary.keys[known.name] ?? .unset, known, place.below(.key(known.name)),
                    InstancePath(path.steps + [.key(known.name)]))
            }
            let value = key.values.first ?? SpecifiedKey("", .any)
            for (index, entry) in dictionary.others.enumerated() {
                add(
                    entry.value, value, place.below(.entry(index)), InstancePath(path.steps + [.key(entry.name)]))
            }
        default: break
        }
    }
}
