import AdminMessages

/// The end of an app: what goes with it, what keeps it, and doing it.
enum AppRemovalPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/remove", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/apps/{app}/remove", serve: remove),
    ]

    /// What leads here from the app's page.
    static func link(_ app: String, _ call: ConsoleCall) -> HTML? {
        call.may(.manage) ? "<p>\(Link.html("Remove this app", ["apps", app, "remove"]))</p>" : nil
    }

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, isUnconfirmed: Bool = false
    ) async throws -> ConsoleAnswer {
        let path = ["apps", call.parameter("app")]
        let (app, tag): (App, String?) = try await call.door.tagged(RequestPath.text(path))
        let groups: Page<Assignment> = try await call.door.get(
            RequestPath.text(["assignments"], query: [("app", app.bundleIdentifier)]))
        let lost = try await self.lost(path, call)
        let form: HTML? =
            call.may(.manage) && groups.items.isEmpty
            ? call.form(
                to: ConsolePath.text(path + ["remove"]),
                """
                \(FormEdit([], of: [:], tag: tag).hidden)
                \(Confirmation.box("There is no way back: I know", isMissing: isUnconfirmed))
                <button class="danger">Remove \(app.name)</button>
                """) : nil
        return call.page(
            "Remove \(app.name)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app.name, path)],
            status: refusal?.status ?? (isUnconfirmed ? 422 : 200),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("What goes with it", "\(lost)<p>What was done to it stays in the activity.</p>"))
            \(groups.items.isEmpty ? nil : Panel.html("What keeps it", kept(groups, app)))
            \(form)
            """)
    }

    /// What the server forgets, counted as far as a page of each list goes.
    private static func lost(_ path: [String], _ call: ConsoleCall) async throws -> HTML {
        func count<Item: Codable & Sendable>(_ list: String, _ type: Item.Type) async throws -> HTML {
            let page: Page<Item> = try await call.door.get(RequestPath.text(path + [list], query: [("limit", "500")]))
            return page.next == nil ? "\(page.items.count)" : "more than \(page.items.count)"
        }
        var facts: [(String, HTML?)] = []
        if call.may(.lookInside, app: path[1]) {
            facts.append(
                ("Configurations, with all versions", try await count("configurations", ConfigurationSummary.self)))
        }
        facts.append(("Specifications", try await count("specifications", SpecificationSummary.self)))
        facts.append(("Sources", try await count("sources", AppSource.self)))
        facts.append(("Packages that the server hosts", try await count("packages", Package.self)))
        return Facts.html(facts)
    }

    private static func kept(_ groups: Page<Assignment>, _ app: App) -> HTML {
        let items: [HTML] = groups.items.map { "<li>\(Link.html($0.group, ["groups", $0.group]))</li>" }
        return """
            <p>Groups have it. Take it away from them first, under \
            \(Link.html("who gets it", ["apps", app.bundleIdentifier, "assignments"])): their devices then lose its \
            configuration and its secrets, and the app where it was installed for them.</p><ul class="inline">\(items)</ul>
            """
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        guard Confirmation.isGiven(in: call) else { return try await page(call, isUnconfirmed: true) }
        let seen = FormEdit([], call.request.form)
        do {
            try await call.door.send("DELETE", RequestPath.text(["apps", call.parameter("app")]), ifMatch: seen.tag)
            return .seeOther(["apps"], .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }
}
