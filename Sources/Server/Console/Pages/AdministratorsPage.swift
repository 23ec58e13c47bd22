import AdminMessages

/// Who may do what.
enum AdministratorsPage {
    static let routes = [ConsoleRoute(.get, "/administrators", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let administrators: Page<Administrator> = try await call.door.get(RequestPath.text(["administrators"]))
        let table = Table(
            caption: "Administrators", columns: ["Name", "Role", "Apps", "Groups", "Password", "Added"],
            rows: administrators.items.map { one in
                [
                    "\(one.name)", "\(one.role.rawValue)", "\((one.apps ?? []).joined(separator: ", "))",
                    "\((one.groups ?? []).joined(separator: ", "))",
                    one.mustChangePassword ? Badge(.warn, "One-time").html : Badge(.good, "Own").html,
                    Moment.html(one.created, now: call.request.now),
                ]
            })
        return call.page("Administrators", in: .administrators, table.html)
    }
}
