import AdminMessages
import AppSpecification
import InputBounds
import JSONSchema

/// The editor of a configuration: its form, its property list or its JSON.
///
/// Everything that is not saved travels with the page, so that nothing typed is lost whatever the server answers.
enum EditorPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/configurations/{name}/edit", serve: show),
        ConsoleRoute(.post, "/apps/{app}/configurations/{name}/edit", serve: answer),
    ]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edited = try await EditedConfiguration(call, part: call.query("part"))
        var value = edited.present?.value ?? .dictionary([:])
        if edited.present == nil, let wish = call.query("sample"), let specification = edited.specification {
            value = Int(wish).flatMap { sample($0, of: specification) } ?? specification.example()
        }
        let view = call.query("view").flatMap(EditorState.View.init) ?? .form
        let state = EditorState(value, in: view, as: edited.key, base: edited.present?.seen)
        return page(call, edited, state)
    }

    private static func sample(_ index: Int, of specification: AppSpecification) -> PropertyListValue? {
        guard specification.samples.indices.contains(index) else { return nil }
        return try? specification.configuration.propertyList(specification.samples[index].configuration)
    }

    private static func answer(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let edited = try await EditedConfiguration(call, part: form["part"])
        let state = EditorState(form, as: edited.key)
        let wish = form["do"] ?? "check"
        if let action = FormAction(parsing: wish) { return page(call, edited, state.after(action)) }
        let reading = state.reading
        guard let value = reading.value else { return page(call, edited, state, errors: reading.errors) }
        if let view = EditorState.View(rawValue: wish) {
            return page(call, edited, EditorState(value, in: view, as: edited.key, base: state.base))
        }
        if let side = ConfigurationMerge.Side(rawValue: wish) {
            return try await merged(call, edited, value, since: state.base, preferring: side)
        }
        guard edited.present?.seen == state.base else {
            return try await ConflictPage.page(call, edited, value, since: state.base)
        }
        switch wish {
        case "save":
            do {
                try await edited.save(value, since: state.base, isForced: form["force"] != nil, call.door)
                return .seeOther(edited.path, .saved)
            } catch let refusal as AdminRefused where refusal.status == 412 {
                // Between our look and the change.
                let now = try await EditedConfiguration(call, part: form["part"])
                return try await ConflictPage.page(call, now, value, since: state.base)
            } catch let refusal as AdminRefused where refusal.problem.findings?.isEmpty == false {
                return refused(call, edited, value, state.base, form, refusal.problem.findings ?? [])
            } catch let refusal as AdminRefused where refusal.status == 422 {
                let error = FormError(place: FormPlace(), message: refusal.problem.detail ?? refusal.problem.title)
                return page(call, edited, shown(value, state.base, edited, form), errors: [error])
            }
        case "review": return try await ReviewPage.page(call, edited, value, shownIn: form)
        case let wish where wish.hasPrefix("try"):
            let trial = try await ConfigurationTry.answer(wish, value, of: edited, call)
            return try await ReviewPage.page(call, edited, value, shownIn: form, trial: trial)
        default:
            let check = try await edited.check(value, call.door)
            guard check.errors.isEmpty else {
                return refused(call, edited, value, state.base, form, check.errors, state)
            }
            return try await ReviewPage.page(call, edited, value, shownIn: form, check: check)
        }
    }

    /// The editor with what the app would refuse, each at its key.
    private static func refused(
        _ call: ConsoleCall, _ edited: EditedConfiguration, _ value: PropertyListValue, _ base: SeenVersion?,
        _ form: Form, _ findings: [Finding], _ typed: EditorState? = nil
    ) -> ConsoleAnswer {
        let state = typed ?? shown(value, base, edited, form)
        let errors = findings.map { finding in
            FormError(
                place: state.place(of: finding.path), message: finding.weight + sentence(finding, in: state))
        }
        return page(call, edited, state, errors: errors, isJudged: true)
    }

    private static func sentence(_ finding: Finding, in state: EditorState) -> String {
        if let words = PatternWords.sentence(for: finding, in: state) { return words }
        let isAtKey = state.name(of: state.place(of: finding.path)) == finding.path
        let full = isAtKey ? String(finding.sentence.dropFirst(finding.path.count + 2)) : finding.sentence
        return full.prefix(1).uppercased() + full.dropFirst()
    }

    /// A value in the view from which it was reviewed.
    private static func shown(
        _ value: PropertyListValue, _ base: SeenVersion?, _ edited: EditedConfiguration, _ form: Form
    ) -> EditorState {
        EditorState(
            value, in: form["came-from"].flatMap(EditorState.View.init) ?? .form, as: edited.key, base: base)
    }

    private static func merged(
        _ call: ConsoleCall, _ edited: EditedConfiguration, _ mine: PropertyListValue, since base: SeenVersion?,
        preferring side: ConfigurationMerge.Side
    ) async throws -> ConsoleAnswer {
        let merge = try await ConflictPage.merge(mine, since: base, edited, call.door, preferring: side)
        let view = call.request.form["came-from"].flatMap(EditorState.View.init) ?? .form
        return page(
            call, edited, EditorState(merge.merged, in: view, as: edited.key, base: edited.present?.seen))
    }

    // MARK: Markup

    static func page(
        _ call: ConsoleCall, _ edited: EditedConfiguration, _ state: EditorState, errors: [FormError] = [],
        isJudged: Bool = false
    ) -> ConsoleAnswer {
        let verb = edited.present == nil ? "New configuration" : "Edit"
        let title = errors.isEmpty ? "\(verb) \(edited.name)" : "Error: \(verb) \(edited.name)"
        return call.page(
            title, in: .apps, trail: edited.trail,
            """
            \(errors.isEmpty ? nil : ErrorSummary.html(errors.map { ErrorSummary.Line(state, $0) }))
            \(state.note.map { "<p class=\"note\" role=\"status\">\($0)</p>" as HTML })
            \(edited.present == nil ? samples(edited) : nil)
            \(call.form(to: address(edited), content(edited, state, errors, isJudged: isJudged)))
            \(SpecificationFacts.secrets(edited))
            """)
    }

    static func address(_ edited: EditedConfiguration) -> String { ConsolePath.text(edited.path + ["edit"]) }

    private static func content(
        _ edited: EditedConfiguration, _ state: EditorState, _ errors: [FormError], isJudged: Bool
    ) -> HTML {
        let anyway: HTML =
            isJudged
            ? "<button class=\"plain\" name=\"do\" value=\"review\">Continue nevertheless</button>" : ""
        return """
            <button class="unseen" name="do" value="check" tabindex="-1" aria-hidden="true">Check</button>
            \(hidden(edited, state))
            \(views(edited, state))
            \(body(state, errors))
            <div class="actions end"><button name="do" value="check">Check and see what changes</button>\(anyway)
            <a class="button plain" href="\(ConsolePath.text(edited.path))">Cancel</a></div>
            """
    }

    static func hidden(_ edited: EditedConfiguration, _ state: EditorState) -> HTML {
        """
        <input type="hidden" name="base" value="\(state.base?.text ?? "")">
        <input type="hidden" name="part" value="\(edited.part ?? "")">
        <input type="hidden" name="view" value="\(state.view.rawValue)">
        """
    }

    private static func views(_ edited: EditedConfiguration, _ state: EditorState) -> HTML {
        let views = EditorState.View.allCases.filter { $0 != .form || !edited.key.keys.isEmpty }
        let buttons: [HTML] = views.map { view in
            let mark: HTML = view == state.view ? " aria-current=\"true\"" : ""
            return "<button class=\"plain\" name=\"do\" value=\"\(view.rawValue)\"\(mark)>\(view.title)</button>"
        }
        return "<div class=\"views\" role=\"group\" aria-label=\"Edit as\">\(buttons)</div>"
    }

    private static func body(_ state: EditorState, _ errors: [FormError]) -> HTML {
        switch state.content {
        case .form(let draft): return FormPage(draft, as: state.key, errors: errors).fields
        case .kept(let value):
            return """
                <p>It holds characters that no page can carry. Set it with <code>martlet configuration set</code>.</p>
                \(EditorState.kept(value))
                """
        case .text(_, let text):
            let place = FormPlace()
            let invalid: HTML = errors.isEmpty ? "" : " aria-invalid=\"true\" aria-describedby=\"\(place.id)-error\""
            let messages: [HTML] = errors.map { "<span>\($0.message)</span> " }
            let problem: HTML =
                errors.isEmpty ? "" : "<p class=\"problem\" id=\"\(place.id)-error\">\(messages)</p>"
            return """
                <div class="field wide"><label for="\(place.id)">\(state.view.title)</label>\(problem)
                <textarea id="\(place.id)" name="text" rows="24" class="code" spellcheck="false"\(invalid)>
                \(text)</textarea></div>
                """
        }
    }

    private static func samples(_ edited: EditedConfiguration) -> HTML? {
        guard let specification = edited.specification, edited.part == nil else { return nil }
        let links: [HTML] = specification.samples.enumerated().map { index, sample in
            "<li>\(Link.html(sample.title, edited.path + ["edit"], query: [("sample", "\(index)")]))</li>"
        }
        guard !links.isEmpty else { return nil }
        return "<p>Begin with one of the app’s samples:</p><ul>\(links)</ul>"
    }
}
