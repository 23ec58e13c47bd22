import AdminMessages

/// Which groups get an app, with which configuration.
enum AssignmentPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/assignments", serve: show),
        ConsoleRoute(.post, "/apps/{app}/assignments", serve: assign),
        ConsoleRoute(.post, "/apps/{app}/assignments/{group}/remove", serve: unassign),
    ]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer { try await page(call) }

    private static func page(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let query = [("app", app)] + (call.query("cursor").map { [("cursor", $0)] } ?? [])
        let page: Page<Assignment> = try await call.door.get(RequestPath.text(["assignments"], query: query))
        let rows: [[HTML]] = page.items.map { one in
            [
                Link.html(one.group, ["groups", one.group]),
                one.configuration.map { Link.html($0, ["apps", app, "configurations", $0]) } ?? "none",
                "\(one.install ?? "as its source says")", "\(one.priority ?? 0)", "\(one.lowestTrust ?? "")",
                call.may(.assign, app: app, group: one.group) ? removal(call, one) : "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No group gets this app", "Assign it to a group: its devices get it at once.")
            : Table(
                caption: "Assignments", columns: ["Group", "Configuration", "Install", "Priority", "Trust", "Change"],
                rows: rows
            ).html
        let form = call.may(.assign, app: app) ? Panel.html("Assign to a group", try await fields(call, app)) : nil
        return call.page(
            "Who gets \(app)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])], status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(table)\(Pager.html(next: page.next, in: ["apps", app, "assignments"], call))\(form)
            """)
    }

    private static func fields(_ call: ConsoleCall, _ app: String) async throws -> HTML {
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let configurations: Page<ConfigurationSummary> = try await call.door.get(
            RequestPath.text(["apps", app, "configurations"], query: [("limit", "500")]))
        let form = call.request.form
        let group = Field(
            "group", "Group", value: form["group"] ?? call.query("group") ?? "",
            hint: "A group that has the app already gets what is said here instead.")
        let configuration = Field(
            "configuration", "Configuration", value: form["configuration"] ?? call.query("configuration") ?? "")
        let trust = Field(
            "trust", "Trust", value: form["trust"] ?? "launched",
            hint: "How far a device must trust the app before it gives it a secret.")
        let install = Field("install", "Install", value: form["install"] ?? "")
        let priority = Field(
            "priority", "Priority", value: form["priority"] ?? "0",
            hint: "Where several groups of a device assign the app, the highest counts.")
        let force: HTML =
            form.fields.isEmpty
            ? ""
            : """
            <div class="option"><input type="checkbox" id="force" name="force" value="1">\
            <label for="force">Assign it although the app refuses the configuration</label></div>
            """
        let may = groups.items.filter { call.may(.assign, app: app, group: $0.name) }
        return call.form(
            to: ConsolePath.text(["apps", app, "assignments"]),
            """
            \(group.choice(may.map { ($0.name, $0.name) }))
            \(configuration.choice([("", "None")] + configurations.items.map { ($0.name, $0.name) }))
            \(install.choice([
                ("", "As its source says"), ("required", "Required"), ("optional", "Optional"),
            ]))
            \(priority.line)\(trust.choice(["launched", "verified", "shared"].map { ($0, $0) }))
            \(force)<button>Assign</button>
            """)
    }

    private static func assign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let group = form["group"] ?? ""
        let configuration = form["configuration"].flatMap { $0.isEmpty ? nil : $0 }
        let path = ["assignments", group, call.parameter("app")]
        do {
            // What this page does not show of an assignment stays as it is.
            let present: Assignment? = try await optional { try await call.door.get(RequestPath.text(path)) }
            try await call.door.send(
                "PUT", RequestPath.text(path, query: form["force"] == nil ? [] : [("force", "true")]),
                AssignmentRequest(
                    configuration: configuration, extensions: present?.extensions, lowestTrust: form["trust"],
                    install: form["install"].flatMap { $0.isEmpty ? nil : $0 },
                    priority: form["priority"].flatMap { Int($0) }))
            return .seeOther(["apps", call.parameter("app"), "assignments"], .saved)
        } catch let refusal as AdminRefused where refusal.status == 422 || refusal.status == 404 {
            return try await page(call, refusal: refusal)
        }
    }

    private static func optional<Value>(_ value: () async throws -> Value) async throws -> Value? {
        do { return try await value() } catch let refusal as AdminRefused where refusal.status == 404 { return nil }
    }

    private static func removal(_ call: ConsoleCall, _ one: Assignment) -> HTML {
        call.form(
            to: ConsolePath.text(["apps", one.app, "assignments", one.group, "remove"]),
            "<button class=\"danger\">Take it away<span class=\"unseen\"> from \(one.group)</span></button>")
    }

    private static func unassign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        try await call.door.send("DELETE", RequestPath.text(["assignments", call.parameter("group"), app]))
        return .seeOther(["apps", app, "assignments"], .removed)
    }
}
