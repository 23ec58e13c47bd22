import AppSpecification
import Foundation
import InputBounds
import JSONSchema

extension FormDraft {
    /// What somebody sent.
    init(_ form: Form, as configuration: SpecifiedKey) {
        self.init(FormTree(form), as: configuration, isItem: true)
    }

    fileprivate init(_ tree: FormTree?, as key: SpecifiedKey, isItem: Bool) {
        guard let tree else {
            self = .unset
            return
        }
        if let text = tree.roles[.raw] {
            self = .raw(text)
            return
        }
        if let text = tree.roles[.kept] {
            let value = Data(base64Encoded: text).flatMap {
                try? PropertyListValue(parsing: $0, limits: .configuration)
            }
            self = value.map(FormDraft.kept) ?? .unset
            return
        }
        let isSet = tree.roles[.isSet] != nil
        switch key.type {
        case .array:
            let item = key.item.first ?? SpecifiedKey("", .any)
            let items = tree.ordered { if case .item(let index) = $0 { index } else { nil } }
            self = isSet ? .list(items.map { FormDraft($0, as: item, isItem: true) }) : .unset
        case .dictionary: self = isSet ? .dictionary(FormDictionary(tree, as: key)) : .unset
        default:
            let text = tree.roles[.value] ?? ""
            if key.isChoice {
                // The mark tells a choice of the empty text from none.
                self = text.hasPrefix("=") ? .text(String(text.dropFirst())) : isItem ? .text("") : .unset
            } else {
                self = text.isEmpty && !isSet && !isItem ? .unset : .text(text)
            }
        }
    }
}

extension FormDictionary {
    fileprivate init(_ tree: FormTree, as key: SpecifiedKey) {
        for known in key.keys {
            let draft = FormDraft(tree.children[.key(known.name)], as: known, isItem: false)
            if draft != .unset { keys[known.name] = draft }
        }
        let value = key.values.first ?? SpecifiedKey("", .any)
        others = tree.ordered { if case .entry(let index) = $0 { index } else { nil } }.map { entry in
            FormEntry(name: entry.roles[.name] ?? "", value: FormDraft(entry, as: value, isItem: true))
        }
    }
}

/// Why something that was typed is no value of its key's type.
struct FormError: Hashable, Sendable {
    let place: FormPlace
    let message: String
}

/// A configuration out of a form.
struct FormReading: Sendable {
    /// Whatever could be read.
    private(set) var value: PropertyListValue = .dictionary([:])
    private(set) var errors: [FormError] = []

    init(_ draft: FormDraft, as configuration: SpecifiedKey) {
        value = read(draft, configuration, FormPlace()) ?? .dictionary([:])
    }

    private mutating func read(_ draft: FormDraft, _ key: SpecifiedKey, _ place: FormPlace) -> PropertyListValue? {
        switch draft {
        case .unset: return nil
        case .kept(let value): return value
        case .raw(let text):
            do {
                return try PropertyListFragment.value(of: text)
            } catch {
                return refuse(place, "This is no property list in XML: \(error.rule)")
            }
        case .text(let text):
            if case .success(let value) = ScalarReading.value(of: text, as: key) { return value }
            return refuse(place, ScalarReading.wanted(key))
        case .list(let items):
            let item = key.item.first ?? SpecifiedKey("", .any)
            var values: [PropertyListValue] = []
            for (index, entry) in items.enumerated() {
                if let value = read(entry, item, place.below(.item(index))) { values.append(value) }
            }
            return .array(values)
        case .dictionary(let dictionary): return read(dictionary, key, place)
        }
    }

    private mutating func read(
        _ dictionary: FormDictionary, _ key: SpecifiedKey, _ place: FormPlace
    ) -> PropertyListValue {
        var entries: [String: PropertyListValue] = [:]
        for known in key.keys {
            guard let draft = dictionary.keys[known.name] else { continue }
            entries[known.name] = read(draft, known, place.below(.key(known.name)))
        }
        let value = key.values.first ?? SpecifiedKey("", .any)
        for (index, entry) in dictionary.others.enumerated() {
            let below = place.below(.entry(index))
            if entry.name.isEmpty {
                _ = refuse(below, "Give the key a name")
            } else if entries[entry.name] != nil || key[entry.name] != nil {
                _ = refuse(below, "The key “\(entry.name)” is there twice")
            }
            let inner = read(entry.value, value, below)
            if entries[entry.name] == nil { entries[entry.name] = inner }
        }
        return .dictionary(entries)
    }

    private mutating func refuse(_ place: FormPlace, _ message: String) -> PropertyListValue? {
        errors.append(FormError(place: place, message: message))
        return nil
    }
}
