import AdminMessages

/// The apps.
enum AppsPage {
    static let routes = [ConsoleRoute(.get, "/apps", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let apps: Page<App> = try await call.door.get(RequestPath.text(["apps"], query: query))
        return call.page("Apps", in: .apps, aside: links(call), content(apps, call))
    }

    private static func links(_ call: ConsoleCall) -> HTML {
        """
        <span class="row">\(Link.html("Trusted teams", ["teams"]))
        \(call.may(.manage) ? Link.ifPage("Add an app", ["new", "app"]) : nil)</span>
        """
    }

    private static func content(_ apps: Page<App>, _ call: ConsoleCall) -> HTML {
        guard !apps.items.isEmpty else {
            return EmptyState.html(
                "There is no app yet",
                call.may(.manage)
                    ? """
                    An app is added by its bundle identifier: \(Link.html("Add the first one", ["new", "app"])), or use \
                    <code>martlet app create</code>.
                    """
                    : "Somebody who may manage apps adds the first one.")
        }
        let table = Table(
            caption: "Apps", columns: ["Name", "Identifier", "Team"],
            rows: apps.items.map { app in
                [
                    Link.html(app.name, ["apps", app.bundleIdentifier]), Code.html(app.bundleIdentifier),
                    app.teamIdentifier.map(Code.html) ?? "<span class=\"muted\">any</span>",
                ]
            })
        return "\(table.html)\(Pager.html(next: apps.next, in: ["apps"], call))"
    }
}
