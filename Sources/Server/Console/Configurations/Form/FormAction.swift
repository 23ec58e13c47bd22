import AppSpecification

/// What a button in a form does to what stands in it; nothing is saved by it.
struct FormAction: Hashable, Sendable {
    enum Kind: String, Sendable {
        case set, unset, add, remove, up, down
    }

    let kind: Kind
    let place: FormPlace

    init(_ kind: Kind, _ place: FormPlace) {
        self.kind = kind
        self.place = place
    }

    /// Reads the value of a button.
    init?(parsing text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let place = FormPlace(parsing: parts[1])
        else { return nil }
        self.init(kind, place)
    }

    var text: String { kind.rawValue + " " + place.text }
}

extension FormDraft {
    /// The same form after a button was pressed; unchanged where there is no such place any more.
    func after(_ action: FormAction, as configuration: SpecifiedKey) -> FormDraft {
        changed(action.kind, at: action.place.steps[...], as: configuration)
    }

    private func changed(
        _ kind: FormAction.Kind, at steps: ArraySlice<FormPlace.Step>, as key: SpecifiedKey
    ) -> FormDraft {
        guard let step = steps.first else { return done(kind, key) }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.dictionary(var dictionary), .key(let name)):
            guard let known = key[name] else { return self }
            let value = (dictionary.keys[name] ?? .unset).changed(kind, at: rest, as: known)
            dictionary.keys[name] = value == .unset ? nil : value
            return .dictionary(dictionary)
        case (.dictionary(var dictionary), .entry(let index)):
            guard dictionary.others.indices.contains(index) else { return self }
            if rest.isEmpty, kind == .remove {
                dictionary.others.remove(at: index)
            } else {
                let value = key.values.first ?? SpecifiedKey("", .any)
                dictionary.others[index].value = dictionary.others[index].value.changed(kind, at: rest, as: value)
            }
            return .dictionary(dictionary)
        case (.list(var items), .item(let index)):
            guard items.indices.contains(index) else { return self }
            let other = kind == .up ? index - 1 : index + 1
            switch kind {
            case .remove where rest.isEmpty: items.remove(at: index)
            case .up where rest.isEmpty, .down where rest.isEmpty:
                if items.indices.contains(other) { items.swapAt(index, other) }
            default:
                items[index] = items[index].changed(kind, at: rest, as: key.item.first ?? SpecifiedKey("", .any))
            }
            return .list(items)
        default: return self
        }
    }

    private func done(_ kind: FormAction.Kind, _ key: SpecifiedKey) -> FormDraft {
        switch (kind, self) {
        case (.set, .unset): return .beginning(of: key)
        case (.unset, _): return .unset
        case (.add, .unset) where key.type == .array: return FormDraft.list([]).done(.add, key)
        case (.add, .list(let items)):
            let item = key.item.first ?? SpecifiedKey("", .any)
            return items.count < FormBounds.items ? .list(items + [.beginning(of: item)]) : self
        case (.add, .dictionary(var dictionary)):
            guard dictionary.others.count < FormBounds.items else { return self }
            let value = key.values.first ?? SpecifiedKey("", .any)
            dictionary.others.append(FormEntry(name: "", value: .beginning(of: value)))
            return .dictionary(dictionary)
        default: return self
        }
    }
}
