import AdminMessages
import InputBounds

/// The settings: what devices of a group get beside apps, by kind.
enum SettingPages {
    static let routes: [ConsoleRoute] =
        [
            ConsoleRoute(.get, "/settings", serve: list),
            ConsoleRoute(.get, "/new/setting", serve: { call in try await new(call) }),
            ConsoleRoute(.post, "/new/setting", serve: create),
        ] + SettingPage.routes + SettingAssignmentPage.routes

    static let trail = [Shell.Step("Settings", ["settings"])]

    /// Whether the person may change settings: they reach every app of a device, so an owner of some may not.
    static func mayChange(_ call: ConsoleCall) -> Bool { call.may(.configure) && call.session.role != .appOwner }

    /// Whether the person may see what a setting holds; who gets one everybody sees.
    static func mayLook(_ call: ConsoleCall) -> Bool { call.may(.lookInside) && call.session.role != .appOwner }

    /// The name of a setting, with the way to its page for who may see that.
    static func link(_ kind: String, _ name: String, _ call: ConsoleCall) -> HTML {
        mayLook(call) ? Link.html(name, ["settings", kind, name]) : "\(name)"
    }

    /// The kinds that the server knows.
    static func kinds(_ call: ConsoleCall) async throws -> [SettingKind] {
        let page: Page<SettingKind> = try await call.door.get(RequestPath.text(["setting-kinds"]))
        return page.items
    }

    // MARK: All

    private static func list(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let kinds = try await kinds(call)
        let query = ["kind", "cursor"].compactMap { name in call.query(name).map { (name, $0) } }
        let page: Page<Setting> = try await call.door.get(RequestPath.text(["settings"], query: query))
        let rows: [[HTML]] = page.items.map { one in
            let title = kinds.first { $0.name == one.kind }?.title ?? one.kind
            return [
                Link.html(one.name, ["settings", one.kind, one.name]), "\(title)", "\(one.summary)",
                "\(one.version)", Moment.html(one.changed, now: call.request.now),
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html(
                "No settings yet",
                "A setting is what devices of a group get beside apps, such as a certificate to trust.")
            : Table(caption: "Settings", columns: ["Name", "Kind", "What it holds", "Version", "Changed"], rows: rows)
                .html
        let kind = Field("kind", "Kind", value: call.query("kind") ?? "")
        let filter = Filters.html(
            of: ["settings"], [kind.choice([("", "All kinds")] + kinds.map { ($0.name, $0.title) })])
        let add: HTML = mayChange(call) ? Link.button("New setting", ["new", "setting"]) : ""
        return call.page(
            "Settings", in: .settings, aside: add,
            "\(filter)\(table)\(Pager.html(next: page.next, in: ["settings"], call))")
    }

    // MARK: A new one

    /// The form of a new setting; where it was refused, with why at the field.
    private static func new(
        _ call: ConsoleCall, nameProblem: String? = nil, payloadProblem: String? = nil, status: Int = 200
    ) async throws -> ConsoleAnswer {
        let kinds = try await kinds(call)
        let sent = call.request.form
        let kind = sent["kind"] ?? call.query("kind") ?? kinds.first?.name ?? ""
        let form = SettingForm(kind: kind, of: kinds)
        let name = Field(
            "name", "Name", value: sent["name"] ?? "", hint: "1 to 64 letters, digits, dots, underscores and hyphens.",
            problem: nameProblem, isRequired: true)
        let known = kinds.first { $0.name == kind }
        return call.page(
            "New setting", in: .settings, trail: trail, status: status,
            """
            \(choices(kinds, kind))
            \(known.map { "<p>\($0.purpose)</p>" as HTML })
            \(call.form(
                to: ConsolePath.text(["new", "setting"]),
                """
                <input type="hidden" name="kind" value="\(kind)">\(name.line)
                \(form.field(FormEdit(form.labels, sent), problem: payloadProblem))<button>Create</button>
                """ as HTML))
            \(known.map(schema))
            """)
    }

    private static func choices(_ kinds: [SettingKind], _ chosen: String) -> HTML? {
        guard kinds.count > 1 else { return nil }
        let links: [HTML] = kinds.map { one in
            let mark: HTML = one.name == chosen ? " aria-current=\"true\"" : ""
            let address = ConsolePath.text(["new", "setting"], query: [("kind", one.name)])
            return "<a class=\"button plain\" href=\"\(address)\"\(mark)>\(one.title)</a>"
        }
        return "<nav class=\"views\" aria-label=\"Kind\">\(links)</nav>"
    }

    /// What a payload of a kind is like, for who writes JSON.
    static func schema(of kind: SettingKind) -> HTML {
        let text = (try? AdminJSON.encodePretty(kind.schema)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return """
            <details><summary>What a payload is like, as JSON Schema</summary><pre tabindex="0">\(text)</pre></details>
            """
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let name = call.request.form["name"] ?? ""
        let form = SettingForm(kind: call.request.form["kind"] ?? "", of: try await kinds(call))
        if let rule = NameRule(.word(and: "._-"), upTo: 64).brokenRule(by: name) {
            return try await new(call, nameProblem: "A setting’s name \(rule).", status: 422)
        }
        let edit = FormEdit(form.labels, call.request.form)
        let payload: JSON
        switch form.payload(edit) {
        case .success(let read): payload = read
        case .failure(let refusal): return try await new(call, payloadProblem: refusal.message, status: 422)
        }
        let path = ["settings", form.kind, name]
        do {
            try await call.door.send("PUT", RequestPath.text(path), SettingRequest(payload: payload), of: edit)
            return .seeOther(path, .added)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            let problem = "There is a setting of this kind and name already. Edit that one, or choose another name."
            return try await new(call, nameProblem: problem, status: 412)
        } catch let refusal as AdminRefused where [400, 404, 413, 422].contains(refusal.status) {
            return try await new(call, payloadProblem: refusal.words, status: refusal.status)
        }
    }
}
