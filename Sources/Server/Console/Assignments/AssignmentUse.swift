import AdminMessages

/// Which groups get something.
enum AssignmentUse {
    /// Those that get a configuration of an app.
    static func html(of configuration: String, app: String, _ call: ConsoleCall) async throws -> HTML {
        let page: Page<Assignment> = try await call.door.get(
            RequestPath.text(["assignments"], query: [("app", app), ("limit", "500")]))
        let groups = page.items.filter {
            $0.configuration == configuration || $0.extensions?.values.contains(configuration) == true
        }.map(\.group)
        guard !groups.isEmpty else {
            return "<p>No group yet. \(Link.html("Assign the app", ["apps", app, "assignments"]))</p>"
        }
        let items: [HTML] = groups.map { "<li>\(Link.html($0, ["groups", $0]))</li>" }
        return "<ul class=\"list\">\(items)</ul>"
    }
}
