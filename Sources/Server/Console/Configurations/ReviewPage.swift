import AdminMessages
import AppSpecification
import InputBounds
import JSONSchema

/// What a configuration would change, what the app says of it, and the button that saves it.
enum ReviewPage {
    static func page(
        _ call: ConsoleCall, _ edited: EditedConfiguration, _ value: PropertyListValue, shownIn form: Form,
        check known: ConfigurationCheck? = nil, trial: ConfigurationTry? = nil
    ) async throws -> ConsoleAnswer {
        let checked: ConfigurationCheck
        if let known { checked = known } else { checked = try await edited.check(value, call.door) }
        let changes = KeyDifference.all(from: edited.present?.value ?? .dictionary([:]), to: value)
        let isRefused = !checked.errors.isEmpty
        let view = form["came-from"] ?? form["view"] ?? ""
        let save: HTML =
            changes.isEmpty && edited.present != nil
            ? ""
            : "<button name=\"do\" value=\"save\">\(isRefused ? "Save nevertheless" : "Save")</button>"
        return call.page(
            "Review \(edited.name)", in: .apps, trail: edited.trail,
            """
            \(ChangeTable.html(changes, as: edited.key, since: edited.present?.number))
            \(Panel.html("What the app says", said(checked)))
            \(call.form(to: EditorPage.address(edited), """
                <input type="hidden" name="base" value="\(edited.present?.seen.text ?? "")">
                <input type="hidden" name="part" value="\(edited.part ?? "")">
                <input type="hidden" name="came-from" value="\(view)">
                \(EditorState.kept(value))
                \(isRefused ? "<input type=\"hidden\" name=\"force\" value=\"1\">" : HTML.empty)
                <div class="actions end">\(save)
                <button class="plain" name="do" value="\(view.isEmpty ? "form" : view)">Back to editing</button></div>
                \(Panel.html("Try it on a device", ConfigurationTry.html(trial, call)))
                """ as HTML))
            """)
    }

    static func said(_ check: ConfigurationCheck) -> HTML {
        let errors: [HTML] = check.errors.map { "<li>\(Badge(.bad, "Refused").html) \($0.sentence)</li>" }
        let warnings: [HTML] = check.warnings.map { "<li>\(Badge(.warn, "Note").html) \($0)</li>" }
        guard !errors.isEmpty || !warnings.isEmpty else {
            return "<p>\(Badge(.good, "Fits").html) Nothing in it is against what the app published.</p>"
        }
        return "<ul class=\"list\">\(errors)\(warnings)</ul>"
    }
}

/// Changes of a configuration, key by key.
enum ChangeTable {
    static func html(_ changes: [KeyDifference], as key: SpecifiedKey, since version: Int?) -> HTML {
        guard !changes.isEmpty else {
            return "<p>Nothing differs\(version.map { " from version \($0)" } ?? "").</p>"
        }
        let caption = version.map { "What changes since version \($0)" } ?? "What it holds"
        return Table(
            caption: caption, columns: ["Key", "Before", "After"],
            rows: changes.map { change in
                [
                    "<code>\(change.path.description)</code>", shown(change.old, key, change.path, "not set"),
                    shown(change.new, key, change.path, "removed"),
                ]
            }
        ).html
    }

    /// A value as people read it; one for few eyes is not shown.
    static func shown(
        _ value: PropertyListValue?, _ key: SpecifiedKey, _ path: InstancePath, _ nothing: String
    ) -> HTML {
        guard let value else { return "<span class=\"muted\">\(nothing)</span>" }
        if key.isSensitive(at: path) { return "<span class=\"muted\">not shown</span>" }
        let text = JSONValue(describing: value).pretty()
        return text.contains("\n") ? "<pre tabindex=\"0\">\(text)</pre>" : "<code>\(text)</code>"
    }
}

extension SpecifiedKey {
    /// Whether a value there is for few eyes, or one that holds it or that it holds.
    func isSensitive(at path: InstancePath) -> Bool {
        var key = self
        for step in path.steps {
            if key.isSensitive { return true }
            switch step {
            case .key(let name): key = key[name] ?? key.values.first ?? SpecifiedKey(name, .any)
            case .index: key = key.item.first ?? SpecifiedKey("", .any)
            }
        }
        return key.isSensitive || key.descendants.contains { $0.key.isSensitive }
    }
}
