import AdminMessages

/// Which devices are in a group by what they report: its rule, and who would be in with another.
enum GroupRulePage {
    static let routes = [
        ConsoleRoute(.get, "/groups/{group}/rule", serve: show),
        ConsoleRoute(.post, "/groups/{group}/rule", serve: answer),
        ConsoleRoute(.post, "/groups/{group}/rule/remove", serve: remove),
    ]

    private static let labels = [(name: "rule", label: "Rule")]

    private static func path(_ call: ConsoleCall) -> [String] { ["groups", call.parameter("group"), "rule"] }

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await page(call, try await present(call))
    }

    /// What is there now; the group itself may have no rule.
    private static func present(_ call: ConsoleCall) async throws -> FormEdit {
        let rule: (value: GroupRuleDetail, entityTag: String?)? = try await call.door.present(
            RequestPath.text(path(call)))
        return FormEdit(labels, of: ["rule": rule?.value.rule ?? ""], tag: rule?.entityTag)
    }

    private static func answer(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(labels, call.request.form)
        do {
            guard call.request.form["do"] == "save" else {
                let request = GroupPreviewRequest(rule: edit["rule"], group: call.parameter("group"))
                let preview = try await GroupPreview.whole(of: request, upTo: GroupPreviewPart.mostJudged) { part in
                    let answer = try await call.door.send("POST", "/groups/preview", part)
                    return try AdminJSON.decode(GroupPreview.self, from: answer.body)
                }
                return try await page(call, edit, preview: preview)
            }
            try await call.door.send(
                "PUT", RequestPath.text(path(call)), GroupRuleRequest(rule: edit["rule"]), of: edit)
            return .seeOther(["groups", call.parameter("group")], .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            let edit = try await edit.after(refusal) { try await present(call) }
            return try await page(call, edit, status: refusal.status)
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            let problem = [refusal.problem.title, refusal.problem.detail].compactMap { $0 }.joined(separator: " ")
            return try await page(call, edit, problem: problem, status: refusal.status)
        }
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(labels, call.request.form)
        do {
            try await call.door.send("DELETE", RequestPath.text(path(call)), ifMatch: edit.tag)
            return .seeOther(["groups", call.parameter("group")], .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            let edit = try await edit.after(refusal) { try await present(call) }
            return try await page(call, edit, status: refusal.status)
        }
    }

    // MARK: Markup

    private static func page(
        _ call: ConsoleCall, _ edit: FormEdit, preview: GroupPreview? = nil, problem: String? = nil, status: Int = 200
    ) async throws -> ConsoleAnswer {
        let name = call.parameter("group")
        let group: Group = try await call.door.get(RequestPath.text(["groups", name]))
        let judging: HTML? =
            group.judging == true
            ? "<p>\(Badge(.busy, "Being judged").html) Not all devices are judged by the rule yet.</p>" : nil
        let mayChange = call.may(.manage)
        let content: HTML =
            mayChange
            ? call.form(to: ConsolePath.text(path(call)), fields(edit, problem))
            : Facts.html([("Rule", edit.value("rule").map { Code.html($0) } ?? "none")])
        return call.page(
            "Rule of \(name)", in: .groups,
            trail: [Shell.Step("Groups", ["groups"]), Shell.Step(name, ["groups", name])], status: status,
            """
            \(edit.alert)\(judging)
            <section class="panel">\(content)</section>
            \(preview.map { GroupPreviewPart.html($0) })
            \(Panel.html("How a rule is written", language))
            \(mayChange && edit.tag != nil ? removal(call, edit) : nil)
            """)
    }

    private static func fields(_ edit: FormEdit, _ problem: String?) -> HTML {
        let rule = Field(
            "rule", "Rule", value: edit["rule"],
            hint: "Devices that meet it are in the group. You cannot add or remove devices by hand.", problem: problem,
            isRequired: true)
        return """
            \(edit.hidden)\(rule.area(rows: 3))
            <div class="actions"><button name="do" value="preview" class="plain">Show who would be in</button>
            <button name="do" value="save">Save</button></div>
            """
    }

    private static func removal(_ call: ConsoleCall, _ edit: FormEdit) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            """
            \(edit.hidden)<p class="hint">Who is in the group stays there, until taken out by hand.</p>
            <button class="danger">Take the rule away</button>
            """)
    }

    private static let language: HTML = """
        <p>Conditions are joined by <code>and</code>, <code>or</code>, <code>not</code> and parentheses:</p>
        <pre tabindex="0">os = linux and (os-version &gt;= 13 or model begins "ThinkPad X1") and not supervised
        app com.example.editor &lt; 2.1
        person.department = Sales and shard 5% of editor-2</pre>
        <p>They are about <code>model</code>, <code>os</code>, <code>os-version</code>, <code>agent-version</code>, \
        <code>app</code> with a bundle identifier, variables such as <code>person.department</code>, <code>status</code> \
        with an item, <code>kind</code>, <code>arrival</code>, <code>ownership</code>, <code>key-holder</code>, \
        <code>supervised</code> and <code>attested</code>. What a device has not said is not met.</p>
        """
}

/// The devices that a rule would have in a group, with those that would join and leave.
enum GroupPreviewPart {
    /// Of a larger fleet its first devices are judged: a page is not to take a minute.
    static let mostJudged = 200_000

    static func html(_ preview: GroupPreview) -> HTML {
        let joining = Set(preview.joining.devices.map(\.id))
        let staying = preview.members.devices.filter { !joining.contains($0.id) }
        let counts = Facts.html([
            ("Rule, as it would be kept", Code.html(preview.rule)), ("Devices in it", "\(preview.members.count)"),
            ("Would join", "\(preview.joining.count)"), ("Would leave", "\(preview.leaving.count)"),
        ])
        let rest: HTML? =
            preview.next == nil
            ? nil
            : """
            <p>Only the first \(preview.judged) devices were judged; <code>martlet group rule preview</code> judges all of
            them.</p>
            """
        let named: [(GroupPreview.Device, Badge)] =
            preview.joining.devices.map { ($0, Badge(.good, "Would join")) }
            + preview.leaving.devices.map { ($0, Badge(.warn, "Would leave")) }
            + staying.map { ($0, Badge(.plain, "Stays")) }
        let table: HTML? =
            named.isEmpty
            ? nil
            : Table(
                caption: "The first of these devices", columns: ["Device", "Serial number", "What"],
                rows: named.map { device, badge in
                    [
                        Link.html(device.name ?? device.id, ["devices", device.id]), "\(device.serialNumber ?? "")",
                        badge.html,
                    ]
                }
            ).html
        return Panel.html("Who would be in", "<div role=\"status\">\(counts)\(rest)</div>\(table)")
    }
}
