import AdminMessages

/// Which groups get an app, with which configuration.
enum AssignmentPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/assignments", serve: show),
        ConsoleRoute(.post, "/apps/{app}/assignments", serve: assign),
        ConsoleRoute(.get, "/apps/{app}/assignments/{group}", serve: { call in try await edit(call) }),
        ConsoleRoute(.post, "/apps/{app}/assignments/{group}", serve: save),
        ConsoleRoute(.post, "/apps/{app}/assignments/{group}/remove", serve: unassign),
    ]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer { try await page(call) }

    private static func page(
        _ call: ConsoleCall, typed: Form = Form(fields: []), refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let query = [("app", app)] + (call.query("cursor").map { [("cursor", $0)] } ?? [])
        let page: Page<Assignment> = try await call.door.get(RequestPath.text(["assignments"], query: query))
        let rows: [[HTML]] = page.items.map { one in
            [
                Link.html(one.group, ["groups", one.group]),
                one.configuration.map { Link.html($0, ["apps", app, "configurations", $0]) } ?? "none",
                delivery(one),
                "\(one.install ?? "as its source says")", "\(one.priority ?? 0)", "\(one.lowestTrust ?? "launched")",
                call.may(.assign, app: app, group: one.group) ? change(call, one) : "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No group gets this app", "Assign it to a group: its devices get it at once.")
            : Table(
                caption: "Assignments",
                columns: ["Group", "Configuration", "Delivery", "Install", "Priority", "Trust", "Change"], rows: rows
            ).html
        let form =
            call.may(.assign, app: app) ? Panel.html("Assign to a group", try await fields(call, app, typed)) : nil
        return call.page(
            "Who gets \(app)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])], status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(table)\(Pager.html(next: page.next, in: ["apps", app, "assignments"], call))\(form)
            """)
    }

    private static func delivery(_ one: Assignment) -> HTML {
        let delivery = one.delivery.flatMap { Delivery(rawValue: $0) } ?? .framework
        return "\(delivery.title)"
    }

    private static func fields(_ call: ConsoleCall, _ app: String, _ form: Form) async throws -> HTML {
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let group = Field("group", "Group", value: form["group"] ?? call.query("group") ?? "")
        let may = groups.items.filter { call.may(.assign, app: app, group: $0.name) }
        var edit = FormEdit(AssignmentForm.labels, form)
        if form.fields.isEmpty { edit.begin(["configuration": call.query("configuration") ?? ""]) }
        return call.form(
            to: ConsolePath.text(["apps", app, "assignments"]),
            """
            \(group.choice(may.map { ($0.name, $0.name) }))\(try await AssignmentForm.fields(edit, of: app, call))
            \(form.fields.isEmpty ? HTML.empty : force)<button>Assign</button>
            """)
    }

    private static let force: HTML = """
        <div class="option"><input type="checkbox" id="force" name="force" value="1">\
        <label for="force">Assign it although the app refuses the configuration or values look like secrets</label>\
        </div>
        """

    private static func assign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let group = call.request.form["group"] ?? ""
        let edit = FormEdit(AssignmentForm.labels, call.request.form)
        do {
            try await send("PUT", AssignmentForm.request(edit), of: edit, to: group, call)
            return .seeOther(["apps", call.parameter("app"), "assignments"], .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            // The group has the app already, or got it meanwhile: that is not replaced unseen.
            return try await Self.edit(call, of: group, edit, refusal)
        } catch let refusal as AdminRefused where refusal.status == 422 || refusal.status == 404 {
            return try await page(call, typed: call.request.form, refusal: refusal)
        }
    }

    private static func send(
        _ method: String, _ body: any Encodable, of edit: FormEdit, to group: String, _ call: ConsoleCall
    ) async throws {
        let path = ["assignments", group, call.parameter("app")]
        try await call.door.send(
            method, RequestPath.text(path, query: call.request.form["force"] == nil ? [] : [("force", "true")]), body,
            of: edit)
    }

    // MARK: One

    private static func present(_ call: ConsoleCall, _ group: String) async throws -> FormEdit {
        let one: (value: Assignment, entityTag: String?)? = try await call.door.present(
            RequestPath.text(["assignments", group, call.parameter("app")]))
        return FormEdit(
            AssignmentForm.labels, of: one.map { AssignmentForm.values($0.value) } ?? [:], tag: one?.entityTag)
    }

    /// One assignment as a form; where it was refused, with why, and where somebody else was quicker, with both changes.
    private static func edit(
        _ call: ConsoleCall, of named: String? = nil, _ known: FormEdit? = nil, _ refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let group = named ?? call.parameter("group")
        let present = try await present(call, group)
        guard present.tag != nil || known != nil else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        var edit = known ?? present
        if let refusal, refusal.status == 412 {
            edit = edit.merged(with: present.fields, tag: present.tag, saidOf: refusal.problem)
        }
        let form = call.form(
            to: ConsolePath.text(["apps", app, "assignments", group]),
            """
            \(try await AssignmentForm.fields(edit, of: app, call))\(refusal == nil ? HTML.empty : force)<button>Save</button>
            """)
        return call.page(
            "\(app) for \(group)", in: .apps,
            trail: [
                Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app]),
                Shell.Step("Who gets it", ["apps", app, "assignments"]),
            ], status: refusal?.status ?? 200,
            """
            \(edit.alert ?? refusal.map { ProblemPage.alert($0.problem) })
            <section class="panel">\(form)</section>
            """)
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(AssignmentForm.labels, call.request.form)
        do {
            try await send("PATCH", AssignmentForm.patch(edit), of: edit, to: call.parameter("group"), call)
            return .seeOther(["apps", call.parameter("app"), "assignments"], .saved)
        } catch let refusal as AdminRefused where [404, 412, 422].contains(refusal.status) {
            return try await Self.edit(call, of: nil, edit, refusal)
        }
    }

    private static func change(_ call: ConsoleCall, _ one: Assignment) -> HTML {
        let removal = call.form(
            to: ConsolePath.text(["apps", one.app, "assignments", one.group, "remove"]),
            """
            \(FormEdit(AssignmentForm.labels, of: AssignmentForm.values(one), tag: nil).hidden)\
            <button class="danger">Take it away<span class="unseen"> from \(one.group)</span></button>
            """)
        let place = ConsolePath.text(["apps", one.app, "assignments", one.group])
        return """
            <div class="row"><a class="button plain" href="\(place)">Edit<span class="unseen"> what \(one.group) \
            gets</span></a>\(removal)</div>
            """
    }

    private static func unassign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let (app, group) = (call.parameter("app"), call.parameter("group"))
        do {
            try await call.door.remove(
                RequestPath.text(["assignments", group, app]), shownBy: call.request.form
            ) { try await present(call, group) }
            return .seeOther(["apps", app, "assignments"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await page(call, refusal: refusal)
        }
    }
}
