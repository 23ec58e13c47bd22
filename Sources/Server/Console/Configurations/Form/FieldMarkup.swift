import AppSpecification
import Foundation
import InputBounds

/// One key of a configuration's form, with everything inside it.
struct FieldMarkup {
    private let page: FormPage
    private let key: SpecifiedKey
    private let draft: FormDraft
    private let place: FormPlace
    private let label: String
    /// Part of a list, or under a name that was typed: it cannot be left out.
    private let isItem: Bool

    init(
        _ page: FormPage, _ key: SpecifiedKey, _ draft: FormDraft, _ place: FormPlace, label: String,
        isItem: Bool = false
    ) {
        (self.page, self.key, self.draft, self.place) = (page, key, draft, place)
        (self.label, self.isItem) = (label, isItem)
    }

    var field: HTML {
        switch draft {
        case .raw(let text): return raw(text)
        case .kept(let value): return kept(value)
        case .list(let items): return list(items)
        case .dictionary(let dictionary): return self.dictionary(dictionary)
        case .unset where key.type == .array || key.type == .dictionary: return absent
        case .unset where key.type == .any: return absent
        case .unset, .text: return key.isChoice ? choice : text
        }
    }

    /// What a form leaves out and sends back all the same.
    static func hidden(_ draft: FormDraft, _ place: FormPlace) -> HTML {
        switch draft {
        case .raw(let text): "<input type=\"hidden\" name=\"\(place.name(.raw))\" value=\"\(text)\">"
        case .kept(let value): hiddenKept(value, place)
        default: .empty
        }
    }

    private static func hiddenKept(_ value: PropertyListValue, _ place: FormPlace) -> HTML {
        "<input type=\"hidden\" name=\"\(place.name(.kept))\" value=\"\(value.xml().base64EncodedString())\">"
    }

    // MARK: Parts

    private var isInvalid: Bool { page.errors[place] != nil }

    /// The label's words, with the key as the app calls it.
    private var words: HTML {
        let name: HTML = key.name.isEmpty || key.name == label ? .empty : " <code>\(key.name)</code>"
        let marks =
            (key.isRequired && !isItem ? ["required"] : []) + (key.deprecation == nil ? [] : ["deprecated"])
        return "\(label)\(name)\(marks.map { " <span class=\"mark-word\">\($0)</span>" as HTML })"
    }

    private var help: HTML {
        let sentences = KeyHelp.sentences(of: key)
        guard !sentences.isEmpty else { return .empty }
        return "<p class=\"hint\" id=\"\(place.id)-hint\">\(sentences.joined(separator: " "))</p>"
    }

    /// What is read to those who cannot see that it stands beside the field.
    private var described: HTML {
        let parts =
            (KeyHelp.sentences(of: key).isEmpty ? [] : [place.id + "-hint"]) + (isInvalid ? [place.id + "-error"] : [])
        return parts.isEmpty ? .empty : " aria-describedby=\"\(parts.joined(separator: " "))\""
    }

    private var judged: HTML { isInvalid ? "\(described) aria-invalid=\"true\"" : described }

    private var classes: String { isInvalid ? "field invalid" : "field" }

    private var typed: String { if case .text(let text) = draft { text } else { "" } }

    private func button(_ kind: FormAction.Kind, _ words: String) -> HTML {
        FormPage.button(FormAction(kind, place), words, to: label)
    }

    // MARK: One value

    private var text: HTML {
        """
        <div class="\(classes)"><label for="\(place.id)">\(words)</label>\(help)\(page.messages(at: place))\
        \(input)\(emptyText)</div>
        """
    }

    private var input: HTML {
        let name = place.name()
        let isLong = key.type == .data || (key.bounds.maxLength ?? 0) > 200 || typed.contains("\n")
        if isLong, !key.isSensitive || typed.contains("\n") {
            // The first line feed is the markup's own.
            return """
                <textarea id="\(place.id)" name="\(name)" rows="4" spellcheck="false"\(judged)>
                \(typed)</textarea>
                """
        }
        let kind: HTML = key.isSensitive ? "password" : "text"
        let mode: HTML =
            switch key.type {
            case .integer: " inputmode=\"numeric\""
            case .real: " inputmode=\"decimal\""
            default: key.bounds.format == "uri" ? " inputmode=\"url\"" : .empty
            }
        return """
            <input type="\(kind)" id="\(place.id)" name="\(name)" value="\(typed)" autocomplete="off" spellcheck="false"\
            \(mode)\(judged)>
            """
    }

    private var emptyText: HTML {
        guard key.offersEmptyText, !isItem else { return .empty }
        let id = place.id + "-empty"
        let checked: HTML = draft == .text("") ? " checked" : .empty
        return """
            <div class="option"><input type="checkbox" id="\(id)" name="\(place.name(.isSet))" value="1"\(checked)>\
            <label for="\(id)">Set\(labelForEars), even when the text is empty</label></div>
            """
    }

    private var labelForEars: HTML { "<span class=\"unseen\"> \(label)</span>" }

    private var choice: HTML {
        var options: [(text: String, title: String)] =
            key.type == .boolean
            ? [("true", "Yes"), ("false", "No")]
            : (key.choiceTexts ?? []).map { ($0.text, $0.title ?? $0.text) }
        if case .text(let text) = draft, !options.contains(where: { $0.text == text }), !(isItem && text.isEmpty) {
            options.append((text, "\(text) (not one of the app’s)"))
        }
        return options.count <= 5 ? radios(options) : select(options)
    }

    private func radios(_ options: [(text: String, title: String)]) -> HTML {
        let none: [(text: String?, title: String)] = isItem ? [] : [(nil, "Not set")]
        let all = none + options.map { (text: $0.text, title: $0.title) }
        let inputs: [HTML] = all.enumerated().map { index, option in
            let id = index == 0 ? place.id : place.id + "-\(index)"
            let isChosen = option.text.map { draft == .text($0) } ?? (draft == .unset)
            return """
                <div class="option"><input type="radio" id="\(id)" name="\(place.name())" \
                value="\(option.text.map { "=" + $0 } ?? "")"\(isChosen ? " checked" : HTML.empty)>\
                <label for="\(id)">\(option.title)</label></div>
                """
        }
        return """
            <fieldset class="\(classes)"\(described)><legend>\(words)</legend>\(help)\(page.messages(at: place))\
            \(inputs)</fieldset>
            """
    }

    private func select(_ options: [(text: String, title: String)]) -> HTML {
        let none: HTML =
            isItem && draft != .text("") ? .empty : "<option value=\"\">\(isItem ? "Choose" : "Not set")</option>"
        let all: [HTML] = options.map { option in
            """
            <option value="=\(option.text)"\(draft == .text(option.text) ? " selected" : HTML.empty)>\(option.title)\
            </option>
            """
        }
        return """
            <div class="\(classes)"><label for="\(place.id)">\(words)</label>\(help)\(page.messages(at: place))\
            <select id="\(place.id)" name="\(place.name())"\(judged)>\(none)\(all)</select></div>
            """
    }

    // MARK: As it is written

    private func raw(_ text: String) -> HTML {
        let why: HTML =
            key.type == .any
            ? "Any type: write it as in a property list, such as &lt;string&gt;text&lt;/string&gt;."
            : "No field has a form for this value; it is shown as it stands in the property list."
        return """
            <div class="\(classes)"><label for="\(place.id)">\(words)</label>\(help)<p class="hint">\(why)</p>\
            \(page.messages(at: place))\
            <textarea id="\(place.id)" name="\(place.name(.raw))" rows="4" class="code" spellcheck="false"\(judged)>
            \(text)</textarea>\(isItem || place.steps.isEmpty ? .empty : button(.unset, "Remove"))</div>
            """
    }

    private func kept(_ value: PropertyListValue) -> HTML {
        """
        <div class="\(classes)" id="\(place.id)" tabindex="-1"><p>\(words)</p>\(page.messages(at: place))\
        <p class="hint">Holds characters that no page can; it stays as it is.</p>\
        \(Self.hiddenKept(value, place))\(isItem || place.steps.isEmpty ? .empty : button(.unset, "Remove"))</div>
        """
    }

    // MARK: Lists and dictionaries

    private var absent: HTML {
        let words: String = key.type == .array ? "Add the first item" : "Set"
        let empty: HTML = key.type == .array ? button(.set, "Set as an empty list") : .empty
        return """
            <fieldset class="\(classes)" id="\(place.id)" tabindex="-1"\(described)><legend>\(self.words)</legend>\(help)\
            \(page.messages(at: place))<p>Not set.</p><div class="actions">\
            \(button(key.type == .array ? .add : .set, words))\(empty)</div></fieldset>
            """
    }

    private func dictionary(_ dictionary: FormDictionary) -> HTML {
        """
        <fieldset class="\(classes)" id="\(place.id)" tabindex="-1"\(described)><legend>\(words)</legend>\(help)\
        \(page.messages(at: place))<input type="hidden" name="\(place.name(.isSet))" value="1">\
        \(page.keys(dictionary, key, place))\
        \(isItem ? HTML.empty : "<div class=\"actions\">\(button(.unset, "Remove"))</div>")</fieldset>
        """
    }

    private func list(_ items: [FormDraft]) -> HTML {
        let item = key.item.first ?? SpecifiedKey("", .any)
        let all: [HTML] = items.enumerated().map { index, draft in
            let below = place.below(.item(index))
            let name = "\(item.title ?? label) \(index + 1)"
            let field = FieldMarkup(page, item, draft, below, label: name, isItem: true).field
            let up: HTML = index == 0 ? .empty : FormPage.button(FormAction(.up, below), "Move up", to: name)
            let down: HTML =
                index == items.count - 1 ? .empty : FormPage.button(FormAction(.down, below), "Move down", to: name)
            let remove = FormPage.button(FormAction(.remove, below), "Remove", to: name)
            return "<li>\(field)<div class=\"actions\">\(up)\(down)\(remove)</div></li>"
        }
        let list: HTML = all.isEmpty ? "<p>An empty list.</p>" : "<ol class=\"items\">\(all)</ol>"
        return """
            <fieldset class="\(classes)" id="\(place.id)" tabindex="-1"\(described)><legend>\(words)</legend>\(help)\
            \(page.messages(at: place))<input type="hidden" name="\(place.name(.isSet))" value="1">\(list)\
            <div class="actions">\(button(.add, "Add an item"))\
            \(isItem ? HTML.empty : button(.unset, "Remove the list"))</div></fieldset>
            """
    }
}
