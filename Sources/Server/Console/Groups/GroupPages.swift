import AdminMessages

/// Groups of devices, and what each gets.
enum GroupPages {
    static let routes = [
        ConsoleRoute(.get, "/groups", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/groups", serve: create),
        ConsoleRoute(.get, "/groups/{group}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/groups/{group}/remove", serve: remove),
    ]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: query))
        let rows: [[HTML]] = page.items.map { group in
            [
                Link.html(group.name, ["groups", group.name]), "\(group.deviceCount ?? 0)",
                group.rule.map { Code.html($0) } ?? "<span class=\"muted\">by hand</span>",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No groups yet", "Apps are given to groups; devices join one when they enroll.")
            : Table(caption: "Groups", columns: ["Name", "Devices", "Filled by"], rows: rows).html
        let name = Field("name", "Name", value: call.request.form["name"] ?? "", isRequired: true)
        let form: HTML =
            call.may(.manage)
            ? Panel.html(
                "New group", call.form(to: ConsolePath.text(["groups"]), "\(name.line)<button>Create</button>")) : ""
        return call.page(
            "Groups", in: .groups, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(table)\(Pager.html(next: page.next, in: ["groups"], call))\(form)
            """)
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let name = call.request.form["name"] ?? ""
        do {
            try await call.door.send("POST", "/groups", Group(name: name))
            return .seeOther(["groups", name], .added)
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let group: Group = try await call.door.get(RequestPath.text(["groups", call.parameter("group")]))
        let apps: Page<Assignment> = try await call.door.get(
            RequestPath.text(["assignments"], query: [("group", group.name)]))
        let rows: [[HTML]] = apps.items.map { one in
            [
                Link.html(one.app, ["apps", one.app]),
                one.configuration.map { Link.html($0, ["apps", one.app, "configurations", $0]) } ?? "none",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? "<p>No app yet. One is given to this group on the app’s own page, under \(Link.html("Apps", ["apps"])).</p>"
            : Table(caption: "Apps of \(group.name)", columns: ["App", "Configuration"], rows: rows).html
        let settings = try await SettingAssignmentPage.settings(of: group.name, call)
        let enroll: HTML =
            call.may(.help, group: group.name)
            ? Link.button("Enroll a device", ["enrollment"], query: [("group", group.name)]) : ""
        let members: HTML =
            "\(facts(group, call))\(GroupDevicesPage.link(group, call))\(GroupCommandPage.link(group, call))"
        return call.page(
            group.name, in: .groups, trail: [Shell.Step("Groups", ["groups"])], aside: enroll,
            status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("Who is in it", members))
            \(Panel.html("Apps that its devices get", table))
            \(Panel.html("Settings that its devices get", settings))
            \(call.may(.manage) ? removal(call, group) : nil)
            """)
    }

    private static func facts(_ group: Group, _ call: ConsoleCall) -> HTML {
        let rule: HTML = group.rule.map { Code.html($0) } ?? "none: devices are put in by hand"
        let edit = call.may(.manage) ? (group.rule == nil ? "Give it a rule" : "Edit the rule") : "Show the rule"
        let isBusy: HTML? = group.judging == true ? " \(Badge(.busy, "Being judged").html)" : nil
        let link: HTML? =
            group.rule == nil && !call.may(.manage) ? nil : " · \(Link.html(edit, ["groups", group.name, "rule"]))"
        return Facts.html([
            ("Devices", Link.html("\(group.deviceCount ?? 0)", ["devices"], query: [("group", group.name)])),
            ("Rule", "\(rule)\(isBusy)\(link)"),
        ])
    }

    private static func removal(_ call: ConsoleCall, _ group: Group) -> HTML {
        call.form(
            to: ConsolePath.text(["groups", group.name, "remove"]),
            "\(shown(group, tag: nil).hidden)<button class=\"danger\">Remove this group</button>")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let path = RequestPath.text(["groups", call.parameter("group")])
        do {
            try await call.door.remove(path, shownBy: call.request.form) {
                let present = try await call.door.present(path, as: Group.self)
                return shown(present?.value, tag: present?.entityTag)
            }
            return .seeOther(["groups"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }

    /// What the removal of a group is held to: devices come and go by themselves, its rule does not.
    private static func shown(_ group: Group?, tag: String?) -> FormEdit {
        FormEdit([(name: "rule", label: "Rule")], of: ["rule": group?.rule ?? ""], tag: tag)
    }
}
