import AdminMessages

/// What a device would get in other groups, before anybody puts it there.
enum EffectivePage {
    static let routes = [ConsoleRoute(.get, "/devices/{device}/effective", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let device = call.parameter("device")
        let query = call.query("groups").map { [("groups", $0)] } ?? []
        let found: DeviceEffective = try await call.door.get(
            RequestPath.text(["devices", device, "effective"], query: query))
        let name = found.name ?? device
        let what: HTML = "\(EffectiveList.html(found))\(EffectiveSettings.html(found.settings, call))"
        let field = Field(
            "groups", "If it were in these groups", value: found.groups.map(\.name).joined(separator: ","),
            hint: "Names with commas between. Nothing is changed.")
        return call.page(
            found.hypothetical ? "What \(name) would get" : "What \(name) gets", in: .devices,
            trail: [Shell.Step("Devices", ["devices"]), Shell.Step(name, ["devices", device])],
            """
            <form class="filters" method="get">\(field.line)<button class="plain">Ask</button></form>
            \(Panel.html("What, and why", what))
            """)
    }
}
