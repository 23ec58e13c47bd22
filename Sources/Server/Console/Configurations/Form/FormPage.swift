import AppSpecification
import InputBounds

/// A configuration's form as markup: every key of the specification with what it is for, and what is wrong where it is.
struct FormPage: Sendable {
    let configuration: SpecifiedKey
    let draft: FormDraft
    /// What is wrong, at its place.
    let errors: [FormPlace: [String]]

    init(_ draft: FormDraft, as configuration: SpecifiedKey, errors: [FormError] = []) {
        self.draft = draft
        self.configuration = configuration
        self.errors = Dictionary(grouping: errors, by: \.place).mapValues { $0.map(\.message) }
    }

    /// The fields, without the form around them.
    var fields: HTML {
        let place = FormPlace()
        guard case .dictionary(let dictionary) = draft else {
            return FieldMarkup(self, configuration, draft, place, label: "Configuration").field
        }
        return """
            <div id="\(place.id)" class="keys">\(messages(at: place))\
            <input type="hidden" name="\(place.name(.isSet))" value="1">\
            \(keys(dictionary, configuration, place))</div>
            """
    }

    /// What is wrong at a place, to be read with its field.
    func messages(at place: FormPlace) -> HTML {
        guard let messages = errors[place] else { return .empty }
        let lines: [HTML] = messages.map { "<span><b class=\"unseen\">Error:</b> \($0)</span> " }
        return "<p class=\"problem\" id=\"\(place.id)-error\">\(lines)</p>"
    }

    /// The keys of a dictionary, known ones first.
    func keys(_ dictionary: FormDictionary, _ key: SpecifiedKey, _ place: FormPlace) -> HTML {
        var markup = HTML.empty
        let conditions = KeyHelp.conditions(of: key)
        if !conditions.isEmpty {
            markup += "<ul class=\"conditions\">\(conditions.map { "<li>\($0)</li>" as HTML })</ul>"
        }
        var group: String?
        for known in key.keys {
            let draft = dictionary.keys[known.name] ?? .unset
            let below = place.below(.key(known.name))
            if known.isHidden, errors[below] == nil {
                markup += FieldMarkup.hidden(draft, below)
                continue
            }
            if let name = known.group, name != group {
                markup += "<h3>\(name)</h3>"
                group = name
            }
            markup += FieldMarkup(self, known, draft, below, label: known.title ?? known.name).field
        }
        return markup + others(dictionary, key, place)
    }

    private func others(_ dictionary: FormDictionary, _ key: SpecifiedKey, _ place: FormPlace) -> HTML {
        let value = key.values.first ?? SpecifiedKey("", .any)
        let entries: [HTML] = dictionary.others.enumerated().map { index, entry in
            self.entry(entry, value, place.below(.entry(index)))
        }
        let isKnown = !key.values.isEmpty
        guard isKnown || !entries.isEmpty else { return .empty }
        let heading: HTML = isKnown || key.keys.isEmpty ? .empty : "<h3>Keys that the specification does not name</h3>"
        let add: HTML =
            isKnown ? Self.button(FormAction(.add, place), "Add a key", to: key.title ?? key.name) : .empty
        return "\(heading)\(entries)\(add)"
    }

    private func entry(_ entry: FormEntry, _ value: SpecifiedKey, _ place: FormPlace) -> HTML {
        let name = entry.name.isEmpty ? "new key" : entry.name
        let id = place.id + "-name"
        return """
            <fieldset class="entry"><legend>\(name)</legend>\
            <div class="field"><label for="\(id)">Key</label>\
            <input id="\(id)" name="\(place.name(.name))" value="\(entry.name)" autocomplete="off" spellcheck="false">\
            </div>\(FieldMarkup(self, value, entry.value, place, label: "Value of \(name)", isItem: true).field)\
            <div class="actions">\(Self.button(FormAction(.remove, place), "Remove", to: name))</div></fieldset>
            """
    }

    /// A button that changes the form and saves nothing; `to` tells those who hear it what it belongs to.
    static func button(_ action: FormAction, _ label: String, to subject: String) -> HTML {
        let place = action.kind == .remove ? FormPlace(action.place.steps.dropLast()) : action.place
        return """
            <button class="plain" name="do" value="\(action.text)" formaction="#\(place.id)">\(label)\
            <span class="unseen"> \(subject)</span></button>
            """
    }
}
