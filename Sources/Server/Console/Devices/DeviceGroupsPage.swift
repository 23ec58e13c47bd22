import AdminMessages

/// The groups of one device: put into one by hand and taken out, and those that it is in by their rule.
enum DeviceGroupsPage {
    static let routes = [
        ConsoleRoute(.get, "/devices/{device}/groups", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/devices/{device}/groups", serve: add),
        ConsoleRoute(.post, "/devices/{device}/groups/{group}/remove", serve: remove),
    ]

    private static func path(_ call: ConsoleCall) -> [String] { ["devices", call.parameter("device")] }

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, would said: Membership? = nil
    ) async throws -> ConsoleAnswer {
        let device: DeviceDetail = try await call.door.get(RequestPath.text(path(call)))
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let mayChange = call.may(.manage) && device.isServed
        let byHand = groups.items.filter { $0.rule == nil && !device.groups.contains($0.name) }.map(\.name)
        let form: HTML? =
            mayChange ? Panel.html("Put it into a group", fields(call, byHand, isRefused: refusal != nil)) : nil
        return call.page(
            "Groups of \(device.name ?? device.id)", in: .devices, trail: DeviceActions.trail(device),
            status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(said.map(warnings))
            \(table(device, groups.items, mayChange, call))\(form)
            """)
    }

    private static func table(
        _ device: DeviceDetail, _ groups: [Group], _ mayChange: Bool, _ call: ConsoleCall
    ) -> HTML {
        guard !device.groups.isEmpty else {
            return EmptyState.html("The device is in no group", "It gets what its groups are given, so now nothing.")
        }
        let rules = Dictionary(groups.compactMap { group in group.rule.map { (group.name, $0) } }) { $1 }
        return Table(
            caption: "Groups", columns: ["Group", "It is in it", "Change"],
            rows: device.groups.map { group in
                [
                    Link.html(group, ["groups", group]),
                    rules[group].map { "by its rule \(Code.html($0))" } ?? "by hand",
                    mayChange && rules[group] == nil ? removal(group, call) : "",
                ]
            }
        ).html
    }

    private static func fields(_ call: ConsoleCall, _ groups: [String], isRefused: Bool) -> HTML {
        guard !groups.isEmpty else { return "<p>There is no other group that is filled by hand.</p>" }
        let group = Field(
            "group", "Group", value: call.request.form["group"] ?? "",
            hint: "The device gets at once what the group is given.")
        return call.form(
            to: ConsolePath.text(path(call) + ["groups"]),
            """
            \(group.choice(groups.map { ($0, $0) }))\(isRefused ? MembershipForm.force : nil)
            <div class="actions"><button class="plain" name="do" value="plan">Show what there is to say</button>
            <button name="do" value="put">Put it in</button></div>
            """)
    }

    private static func warnings(_ said: Membership) -> HTML {
        guard !said.warnings.isEmpty else {
            return "<p class=\"flash\" role=\"status\">Nothing speaks against \(said.group).</p>"
        }
        let items: [HTML] = said.warnings.map { "<li>\($0)</li>" }
        return "<div class=\"flash\" role=\"status\"><p>Of \(said.group) there is to say:</p><ul>\(items)</ul></div>"
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let isPlan = form["do"] == "plan"
        do {
            let said = try await MembershipForm.put(
                call.parameter("device"), into: form["group"] ?? "", isPlan: isPlan, call)
            return isPlan ? try await page(call, would: said) : .seeOther(path(call) + ["groups"], .saved)
        } catch let refusal as AdminRefused where [400, 404, 409, 422].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }

    private static func removal(_ group: String, _ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["groups", group, "remove"]),
            "<button class=\"danger\">Take it out<span class=\"unseen\"> of \(group)</span></button>")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            try await MembershipForm.take(call.parameter("device"), outOf: call.parameter("group"), call)
            return .seeOther(path(call) + ["groups"], .saved)
        } catch let refusal as AdminRefused where [404, 409].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }
}

/// That a device is in a group, said from either of their pages.
enum MembershipForm {
    static let force: HTML = """
        <div class="option"><input type="checkbox" id="force" name="force" value="1">\
        <label for="force">Also where an app on the device refuses what the group gives it</label></div>
        """

    /// Puts it in, or says what would be said.
    static func put(
        _ device: String, into group: String, isPlan: Bool = false, _ call: ConsoleCall
    ) async throws -> Membership {
        let query = [
            call.request.form["force"] != nil ? ("force", "true") : nil, isPlan ? ("dryRun", "true") : nil,
        ].compactMap { $0 }
        let answer = try await call.door.send(
            "PUT", RequestPath.text(["devices", device, "groups", group], query: query))
        return try AdminJSON.decode(Membership.self, from: answer.body)
    }

    static func take(_ device: String, outOf group: String, _ call: ConsoleCall) async throws {
        try await call.door.send("DELETE", RequestPath.text(["devices", device, "groups", group]))
    }
}
