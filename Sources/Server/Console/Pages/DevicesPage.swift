import AdminMessages

/// The devices, and which of them to look at.
enum DevicesPage {
    static let routes = [ConsoleRoute(.get, "/devices", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let asked = narrowing(call)
        let query = asked + (call.query("cursor").map { [("cursor", $0)] } ?? [])
        let devices: Page<DeviceSummary> = try await call.door.get(RequestPath.text(["devices"], query: query))
        let filters = Filters.html(
            of: ["devices"],
            [
                Field("group", "Group", value: call.query("group") ?? "").line,
                Field("serialNumber", "Serial number", value: call.query("serialNumber") ?? "").line,
                Field("state", "State", value: call.query("state") ?? "").choice(states),
                Field("notSeenFor", "Not seen for", value: call.query("notSeenFor") ?? "").choice(spans),
                Field("refusing", "Refuses a configuration", value: call.query("refusing") ?? "").box,
            ])
        let isNarrowed = !asked.isEmpty
        let enroll: HTML? = call.may(.help) ? Link.ifPage("Enroll a device", ["enrollment"]) : nil
        let code: HTML =
            call.may(.help) ? Link.html("make one", ["enrollment"]) : "ask the help desk for one"
        let content: HTML
        if devices.items.isEmpty {
            content =
                isNarrowed
                ? EmptyState.html("No device is like this", "Change the filters, or show all.")
                : EmptyState.html(
                    "No device has enrolled yet",
                    "A device enrolls with a code: \(code), or use <code>martlet enrollment-code create</code>.")
        } else {
            content = "\(table(devices.items, call))\(Pager.html(next: devices.next, in: ["devices"], call))"
        }
        return call.page("Devices", in: .devices, aside: enroll ?? .empty, "\(filters)\(content)")
    }

    /// The filters for the API; the form sends a ticked box as 1.
    private static func narrowing(_ call: ConsoleCall) -> [(String, String)] {
        ["group", "serialNumber", "state", "notSeenFor", "refusing"].compactMap { name in
            call.query(name).map { (name, name == "refusing" && $0 == "1" ? "true" : $0) }
        }
    }

    private static let states: [(value: String, label: String)] =
        [(value: "", label: "Any")]
        + [DeviceState.enrolled, .enrolling, .checkedOut, .withdrawn].map {
            (value: $0.rawValue, label: $0.badge(nil).word)
        }

    /// The choices, in seconds as in the API.
    private static let spans: [(value: String, label: String)] = [
        ("", "Any time"), ("86400", "A day"), ("604800", "A week"), ("2592000", "30 days"),
    ]

    private static func table(_ devices: [DeviceSummary], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Devices", columns: ["Device", "State", "Groups", "Person", "Last seen"],
            rows: devices.map { device in
                [
                    Link.html(device.name ?? device.id, ["devices", device.id]), device.badge.html,
                    "\(device.groups.joined(separator: ", "))", "\(device.person ?? "")",
                    device.lastSeen.map { Moment.html($0, now: call.request.now) }
                        ?? "<span class=\"muted\">never</span>",
                ]
            }
        ).html
    }
}
