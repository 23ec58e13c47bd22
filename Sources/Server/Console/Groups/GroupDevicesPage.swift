import AdminMessages

/// The devices of one group: put in by hand, one or many, and taken out.
enum GroupDevicesPage {
    static let routes = [
        ConsoleRoute(.get, "/groups/{group}/devices", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/groups/{group}/devices", serve: add),
        ConsoleRoute(.post, "/groups/{group}/devices/{device}/remove", serve: remove),
    ]

    private static func path(_ call: ConsoleCall) -> [String] { ["groups", call.parameter("group"), "devices"] }

    /// What leads here from the group's page.
    static func link(_ group: Group, _ call: ConsoleCall) -> HTML? {
        group.rule == nil && call.may(.manage)
            ? "<p>\(Link.html("Put devices in, or take them out", ["groups", group.name, "devices"]))</p>" : nil
    }

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, problem: String? = nil
    ) async throws -> ConsoleAnswer {
        let name = call.parameter("group")
        let group: Group = try await call.door.get(RequestPath.text(["groups", name]))
        let query = [("group", name)] + (call.query("cursor").map { [("cursor", $0)] } ?? [])
        let devices: Page<DeviceSummary> = try await call.door.get(RequestPath.text(["devices"], query: query))
        let mayChange = call.may(.manage) && group.rule == nil
        let rule: HTML? = group.rule.map {
            "<p>Its rule says which devices are in it, so you cannot add or remove devices by hand: \(Code.html($0))</p>"
        }
        return call.page(
            "Devices of \(name)", in: .groups,
            trail: [Shell.Step("Groups", ["groups"]), Shell.Step(name, ["groups", name])],
            status: refusal?.status ?? (problem == nil ? 200 : 422),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(rule)
            \(table(devices.items, mayChange, call))\(Pager.html(next: devices.next, in: path(call), call))
            \(mayChange ? Panel.html("Put devices in", fields(call, problem)) : nil)
            """)
    }

    private static func table(_ devices: [DeviceSummary], _ mayChange: Bool, _ call: ConsoleCall) -> HTML {
        guard !devices.isEmpty else {
            return EmptyState.html("No device is in this group", "Devices join it as they enroll, or are put in here.")
        }
        return Table(
            caption: "Devices", columns: ["Device", "State", "Person", "Change"],
            rows: devices.map { device in
                [
                    Link.html(device.name ?? device.id, ["devices", device.id]), device.badge.html,
                    "\(device.person ?? "")", mayChange ? removal(device, call) : "",
                ]
            }
        ).html
    }

    private static func fields(_ call: ConsoleCall, _ problem: String?) -> HTML {
        let devices = Field(
            "devices", "Devices", value: call.request.form["devices"] ?? "",
            hint: "Their identifiers, as their pages say them, each on its line. Several are put in by a job.",
            problem: problem, isRequired: true)
        return call.form(
            to: ConsolePath.text(path(call)), "\(devices.area(rows: 3))\(MembershipForm.force)<button>Put in</button>")
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let devices = (call.request.form["devices"] ?? "").split { $0.isWhitespace || $0 == "," }.map(String.init)
        guard let first = devices.first else { return try await page(call, problem: "Name a device.") }
        do {
            guard devices.count > 1 else {
                _ = try await MembershipForm.put(first, into: call.parameter("group"), call)
                return .seeOther(path(call), .added)
            }
            let wish = GroupDevicesRequest(devices: devices, force: call.request.form["force"] != nil ? true : nil)
            let answer = try await call.door.send("POST", RequestPath.text(path(call)), wish)
            return .seeOther(["jobs", try AdminJSON.decode(Job.self, from: answer.body).id], .begun)
        } catch let refusal as AdminRefused where [400, 404, 409, 422].contains(refusal.status) {
            // The keys that an app would refuse are listed above the form.
            guard refusal.problem.findings?.isEmpty != false else { return try await page(call, refusal: refusal) }
            let words = [refusal.problem.title, refusal.problem.detail].compactMap { $0 }
            return try await page(call, problem: words.joined(separator: " "))
        }
    }

    private static func removal(_ device: DeviceSummary, _ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + [device.id, "remove"]),
            "<button class=\"danger\">Take it out<span class=\"unseen\">: \(device.name ?? device.id)</span></button>")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            try await MembershipForm.take(call.parameter("device"), outOf: call.parameter("group"), call)
            return .seeOther(path(call), .removed)
        } catch let refusal as AdminRefused where [404, 409].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }
}
