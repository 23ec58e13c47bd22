import AdminMessages

/// Which groups get a setting.
enum SettingAssignmentPage {
    static let routes = [
        ConsoleRoute(.post, "/settings/{kind}/{name}/assignments", serve: assign),
        ConsoleRoute(
            .get, "/settings/{kind}/{name}/assignments/{group}",
            serve: { call in try await edit(call, of: call.parameter("group")) }),
        ConsoleRoute(.post, "/settings/{kind}/{name}/assignments/{group}", serve: save),
        ConsoleRoute(.post, "/settings/{kind}/{name}/assignments/{group}/remove", serve: unassign),
    ]

    private static let labels: [(name: String, label: String)] = [("priority", "Priority")]

    private static func path(_ call: ConsoleCall) -> [String] { SettingPage.path(call) + ["assignments"] }

    /// Where the API has it for one group.
    private static func place(_ call: ConsoleCall, _ group: String) -> String {
        RequestPath.text(["setting-assignments", group, call.parameter("kind"), call.parameter("name")])
    }

    // MARK: On the group's page

    /// The settings that devices of a group get.
    static func settings(of group: String, _ call: ConsoleCall) async throws -> HTML {
        let query = [("group", group), ("limit", "500")]
        let given: Page<SettingAssignment> = try await call.door.get(
            RequestPath.text(["setting-assignments"], query: query))
        guard !given.items.isEmpty else {
            let hint = "No setting yet. One is given to this group on the setting’s own page"
            return SettingPages.mayLook(call)
                ? "<p>\(hint), under \(Link.html("Settings", ["settings"])).</p>" : "<p>\(hint).</p>"
        }
        return Table(
            caption: "Settings of \(group)", columns: ["Setting", "Kind", "Priority"],
            rows: given.items.map { one in
                [SettingPages.link(one.kind, one.setting, call), "\(one.kind)", "\(one.priority)"]
            }
        ).html
    }

    // MARK: On the setting's page

    /// The groups that have the setting, and a form that gives it to one more.
    static func part(_ call: ConsoleCall) async throws -> HTML {
        let query = [("kind", call.parameter("kind")), ("name", call.parameter("name")), ("limit", "500")]
        let given: Page<SettingAssignment> = try await call.door.get(
            RequestPath.text(["setting-assignments"], query: query))
        let mayChange = SettingPages.mayChange(call)
        let table: HTML =
            given.items.isEmpty
            ? "<p>No group yet.</p>"
            : Table(
                caption: "Groups whose devices get it", columns: ["Group", "Priority", "Given", "Change"],
                rows: given.items.map { one in
                    [
                        Link.html(one.group, ["groups", one.group]), "\(one.priority)",
                        Moment.html(one.assigned, now: call.request.now), mayChange ? change(call, one) : "",
                    ]
                }
            ).html
        guard mayChange else { return table }
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let others = groups.items.filter { group in !given.items.contains { $0.group == group.name } }
        guard !others.isEmpty else { return table }
        let group = Field("group", "Group", value: call.request.form["group"] ?? "")
        let form = call.form(
            to: ConsolePath.text(path(call)),
            """
            \(group.choice(others.map { ($0.name, $0.name) }))\(priority(FormEdit(labels, call.request.form)))
            <button>Assign</button>
            """)
        return "\(table)<h3>Give it to a group</h3>\(form)"
    }

    private static func priority(_ edit: FormEdit, problem: String? = nil) -> HTML {
        Field(
            "priority", "Priority", value: edit.value("priority") ?? "0",
            hint: "Where only one setting of its kind counts on a device, the highest does.", problem: problem
        ).line
    }

    private static func change(_ call: ConsoleCall, _ one: SettingAssignment) -> HTML {
        let place = ConsolePath.text(path(call) + [one.group])
        let removal = call.form(
            to: ConsolePath.text(path(call) + [one.group, "remove"]),
            """
            \(FormEdit(labels, of: values(one), tag: nil).hidden)\
            <button class="danger">Take it away<span class="unseen"> from \(one.group)</span></button>
            """)
        return """
            <div class="row"><a class="button plain" href="\(place)">Edit<span class="unseen"> the priority for \
            \(one.group)</span></a>\(removal)</div>
            """
    }

    private static func assign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let group = call.request.form["group"] ?? ""
        do {
            return try await give(to: group, call)
        } catch let refusal as AdminRefused where refusal.status == 404 {
            return try await SettingPage.show(call, refusal: refusal)
        }
    }

    /// Gives a group the setting as the form says; a refusal is shown in the form of that group.
    private static func give(to group: String, _ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(labels, call.request.form)
        guard let priority = Int(edit.value("priority") ?? "0") else {
            return try await Self.edit(call, of: group, edit, problem: "A priority is a whole number.")
        }
        do {
            try await call.door.send("PUT", place(call, group), SettingAssignmentRequest(priority: priority), of: edit)
            return .seeOther(SettingPage.path(call), .saved)
        } catch let refusal as AdminRefused where [400, 412, 422].contains(refusal.status) {
            // 412: the group has the setting already, or it was changed meanwhile: that is not replaced unseen.
            return try await Self.edit(call, of: group, edit, refusal: refusal)
        }
    }

    private static func unassign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let group = call.parameter("group")
        do {
            try await call.door.remove(place(call, group), shownBy: call.request.form) {
                try await present(call, group)
            }
            return .seeOther(SettingPage.path(call), .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await SettingPage.show(call, refusal: refusal)
        }
    }

    private static func values(_ one: SettingAssignment) -> [String: String] { ["priority": "\(one.priority)"] }

    // MARK: One

    private static func present(_ call: ConsoleCall, _ group: String) async throws -> FormEdit {
        let one = try await call.door.present(place(call, group), as: SettingAssignment.self)
        return FormEdit(labels, of: one.map { values($0.value) } ?? [:], tag: one?.entityTag)
    }

    /// One assignment as a form; where it was refused, with why at the field, and where somebody else was quicker, with
    /// both changes.
    private static func edit(
        _ call: ConsoleCall, of group: String, _ known: FormEdit? = nil, problem: String? = nil,
        refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let present = try await present(call, group)
        guard present.tag != nil || known != nil else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        var edit = known ?? present
        var problem = problem
        if let refusal, refusal.status == 412 {
            edit = edit.merged(with: present.before, tag: present.tag, saidOf: refusal.problem)
        } else if let refusal {
            problem = refusal.words
        }
        let form = call.form(
            to: ConsolePath.text(path(call) + [group]),
            "\(edit.hidden)\(priority(edit, problem: problem))<button>Save</button>")
        let name = call.parameter("name")
        return call.page(
            "\(name) for \(group)", in: .settings,
            trail: SettingPages.trail + [Shell.Step(name, SettingPage.path(call))],
            status: refusal?.status ?? (problem == nil ? 200 : 422),
            "\(edit.alert)<section class=\"panel\">\(form)</section>")
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await give(to: call.parameter("group"), call)
    }
}
