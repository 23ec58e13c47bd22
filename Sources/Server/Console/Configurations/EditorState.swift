import AppSpecification
import Foundation
import InputBounds
import JSONSchema

/// What stands in the editor: a form that is filled in, or text; with what is wrong in it.
struct EditorState: Sendable {
    enum Content: Sendable {
        case form(FormDraft)
        case text(ConfigurationText, String)
        /// What no page can hold; it travels along as it is.
        case kept(PropertyListValue)
    }

    /// How it is shown.
    enum View: String, Sendable, CaseIterable {
        case form, xml, json

        var title: String {
            switch self {
            case .form: "Form"
            case .xml: "Property list"
            case .json: "JSON"
            }
        }
    }

    let content: Content
    let key: SpecifiedKey
    /// The version that it was begun with.
    let base: SeenVersion?
    /// Why it is not shown as somebody asked.
    private(set) var note: String?

    init(_ content: Content, as key: SpecifiedKey, base: SeenVersion?) {
        self.content = content
        self.key = key
        self.base = base
    }

    /// A value in the view that somebody asked for, or in one that can hold it.
    init(_ value: PropertyListValue, in view: View, as key: SpecifiedKey, base: SeenVersion?) {
        self.key = key
        self.base = base
        let all = [view] + [View.form, .xml, .json].filter { $0 != view }
        let found = all.lazy.compactMap { Self.content(value, in: $0, key) }.first
        content = found ?? .kept(value)
        // Without a specification there is no form that could have been expected.
        if self.view != view, view != .form || !key.keys.isEmpty {
            note = "\(view.title): this cannot hold the configuration, whose values have no such form or are too many."
        }
    }

    private static func content(_ value: PropertyListValue, in view: View, _ key: SpecifiedKey) -> Content? {
        switch view {
        case .xml: return ConfigurationText.xml.text(of: value, as: key).map { .text(.xml, $0) }
        case .json: return ConfigurationText.json.text(of: value, as: key).map { .text(.json, $0) }
        case .form:
            let draft = FormDraft(value, as: key)
            return draft.fields(as: key) <= FormBounds.fields && !key.keys.isEmpty ? .form(draft) : nil
        }
    }

    /// What somebody sent.
    init(_ form: Form, as key: SpecifiedKey) {
        self.key = key
        base = SeenVersion(form["base"])
        if let text = form[Self.keptName], let data = Data(base64Encoded: text),
            let value = try? PropertyListValue(parsing: data, limits: .configuration)
        {
            content = .kept(value)
            return
        }
        let text = (form["text"] ?? "").replacing("\r\n", with: "\n")
        switch form["view"].flatMap(View.init) ?? .xml {
        case .form: content = .form(FormDraft(form, as: key))
        case .xml: content = .text(.xml, text)
        case .json: content = .text(.json, text)
        }
    }

    /// The field in which a whole configuration travels, in Base64.
    static let keptName = "list"

    /// That field.
    static func kept(_ value: PropertyListValue) -> HTML {
        "<input type=\"hidden\" name=\"\(keptName)\" value=\"\(value.xml().base64EncodedString())\">"
    }

    var view: View {
        switch content {
        case .form: .form
        case .text(.xml, _), .kept: .xml
        case .text(.json, _): .json
        }
    }

    /// The configuration, or why it is none.
    var reading: (value: PropertyListValue?, errors: [FormError]) {
        switch content {
        case .form(let draft):
            let reading = FormReading(draft, as: key)
            return (reading.errors.isEmpty ? reading.value : nil, reading.errors)
        case .kept(let value): return (value, [])
        case .text(let form, let text):
            switch form.value(of: text, as: key) {
            case .success(let value): return (value, [])
            case .failure(let refusal): return (nil, [FormError(place: FormPlace(), message: refusal.message)])
            }
        }
    }

    /// The same after a button of the form was pressed.
    func after(_ action: FormAction) -> EditorState {
        guard case .form(let draft) = content else { return self }
        return EditorState(.form(draft.after(action, as: key)), as: key, base: base)
    }

    /// The place of a key that the server names.
    func place(of path: String) -> FormPlace {
        guard case .form(let draft) = content else { return FormPlace() }
        return FormOutline(draft, as: key).place(of: path)
    }

    /// What the specification says of a key that the server names, if the form has a field for exactly that.
    func key(at path: String) -> SpecifiedKey? {
        guard case .form(let draft) = content else { return nil }
        return FormOutline(draft, as: key).key(at: path)
    }

    /// What people call a place; nothing for the whole.
    func name(of place: FormPlace) -> String? {
        guard case .form(let draft) = content else { return nil }
        let path = FormOutline(draft, as: key).path(of: place)
        return path.isEmpty ? nil : path
    }
}
