import AdminMessages

/// One setting: what it holds, who gets it, its history, and a form of what it is to hold from now on.
enum SettingPage {
    static let routes = [
        ConsoleRoute(.get, "/settings/{kind}/{name}", serve: { call in try await show(call) }),
        ConsoleRoute(.get, "/settings/{kind}/{name}/edit", serve: { call in try await edit(call) }),
        ConsoleRoute(.post, "/settings/{kind}/{name}/edit", serve: save),
        ConsoleRoute(.post, "/settings/{kind}/{name}/remove", serve: remove),
    ]

    static func path(_ call: ConsoleCall) -> [String] { ["settings", call.parameter("kind"), call.parameter("name")] }

    /// The page, with what was refused on it.
    static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let path = path(call)
        let one = try await call.door.tagged(RequestPath.text(path), as: Setting.self)
        let setting = one.value
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let versions = try await call.door.get(
            RequestPath.text(path + ["versions"], query: query), as: Page<AdminMessages.SettingVersion>.self)
        let kinds = try await SettingPages.kinds(call)
        let kind = kinds.first { $0.name == setting.kind }
        let form = SettingForm(kind: setting.kind, of: kinds)
        let mayChange = SettingPages.mayChange(call)
        let edit: HTML = mayChange ? Link.button("Edit", path + ["edit"]) : ""
        let groups = try await SettingAssignmentPage.part(call)
        return call.page(
            setting.name, in: .settings, trail: SettingPages.trail, aside: edit, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(SettingForm.notes(setting.warnings))
            \(Panel.html("What is known of it", facts(setting, kind, call)))
            \(Panel.html("What it holds", "<pre tabindex=\"0\">\(form.text(of: setting.payload))</pre>"))
            \(Panel.html("Who gets it", groups))
            \(Panel.html("Versions", history(versions.items, form, call)))
            \(Pager.html(next: versions.next, in: path, call))
            \(mayChange ? removal(call, tag: one.entityTag) : nil)
            """)
    }

    private static func facts(_ setting: Setting, _ kind: SettingKind?, _ call: ConsoleCall) -> HTML {
        Facts.html([
            ("Kind", "\(kind?.title ?? setting.kind)"), ("What devices do with it", kind.map { "\($0.purpose)" }),
            ("Where groups differ", kind.map { "\(combination($0))" }), ("Summary", "\(setting.summary)"),
            ("Version", "\(setting.version)"), ("Changed", Moment.html(setting.changed, now: call.request.now)),
            ("By", setting.author.map { "\($0)" }),
        ])
    }

    /// What becomes of several settings of a kind, in words.
    private static func combination(_ kind: SettingKind) -> String {
        switch kind.combination {
        case "all": "A device gets the settings of this kind of all its groups."
        case "highest": "Of the settings of this kind of its groups a device gets the one with the highest priority."
        default: kind.combination
        }
    }

    private static func history(
        _ versions: [AdminMessages.SettingVersion], _ form: SettingForm, _ call: ConsoleCall
    ) -> HTML {
        Table(
            caption: "Versions, newest first", columns: ["Version", "When", "Who", "What it held"],
            rows: versions.map { version in
                [
                    "\(version.version)", Moment.html(version.created, now: call.request.now),
                    "\(version.author ?? "")",
                    """
                    <details><summary>Show<span class="unseen"> version \(version.version)</span></summary>\
                    <pre tabindex="0">\(form.text(of: version.payload))</pre></details>
                    """,
                ]
            }
        ).html
    }

    private static func removal(_ call: ConsoleCall, tag: String?) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            """
            <input type="hidden" name="base" value="\(tag ?? "")">\
            <button class="danger">Remove this setting</button>
            """)
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        // A form that does not say what its page showed removes nothing: no setting has this tag.
        let base = call.request.form["base"].flatMap { $0.isEmpty ? nil : $0 } ?? "\"unseen\""
        do {
            try await call.door.send("DELETE", RequestPath.text(path(call)), ifMatch: base)
            return .seeOther(["settings"], .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    // MARK: The form

    private static func present(
        _ form: SettingForm, _ call: ConsoleCall
    ) async throws -> (edit: FormEdit, warnings: [String]?) {
        let one = try await call.door.present(RequestPath.text(path(call)), as: Setting.self)
        let values = one.map { form.values(of: $0.value.payload) } ?? [:]
        return (FormEdit(form.labels, of: values, tag: one?.entityTag), one?.value.warnings)
    }

    /// The form; where it was refused, with why at the field, and where somebody else was quicker, with both changes.
    private static func edit(
        _ call: ConsoleCall, _ known: FormEdit? = nil, problem: String? = nil, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let kinds = try await SettingPages.kinds(call)
        let setting = SettingForm(kind: call.parameter("kind"), of: kinds)
        let (present, warnings) = try await Self.present(setting, call)
        guard present.tag != nil || known != nil else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        var edit = known ?? present
        var problem = problem
        if let refusal, refusal.status == 412 {
            edit = edit.merged(with: present.before, tag: present.tag, saidOf: refusal.problem)
        } else if let refusal {
            problem = refusal.words
        }
        let kind = kinds.first { $0.name == setting.kind }
        let path = path(call)
        let form = call.form(
            to: ConsolePath.text(path + ["edit"]),
            """
            \(edit.hidden)\(setting.field(edit, problem: problem))
            <p class="hint">Devices of the groups that have it get it at once.</p><button>Save</button>
            """)
        return call.page(
            "Edit \(call.parameter("name"))", in: .settings,
            trail: SettingPages.trail + [Shell.Step(call.parameter("name"), path)],
            status: refusal?.status ?? (problem == nil ? 200 : 422),
            """
            \(edit.alert)\(SettingForm.notes(warnings))
            <section class="panel">\(form)</section>
            \(kind.map(SettingPages.schema))
            """)
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = SettingForm(kind: call.parameter("kind"), of: try await SettingPages.kinds(call))
        let edit = FormEdit(form.labels, call.request.form)
        let payload: JSON
        switch form.payload(edit) {
        case .success(let read): payload = read
        case .failure(let refusal): return try await Self.edit(call, edit, problem: refusal.message)
        }
        do {
            try await call.door.send("PUT", RequestPath.text(path(call)), SettingRequest(payload: payload), of: edit)
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 404, 412, 413, 422].contains(refusal.status) {
            return try await Self.edit(call, edit, refusal: refusal)
        }
    }
}
