import AdminMessages

/// One app: is it working? On which devices, configured how, and what is refused.
enum AppPage {
    static let routes = [ConsoleRoute(.get, "/apps/{app}", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let identifier = call.parameter("app")
        let live = try await LivePage.of(.app(identifier), call)
        let app: App = try await call.door.get(RequestPath.text(["apps", identifier]))
        let versions: Page<AppVersionSummary> = try await call.door.get(
            RequestPath.text(["apps", identifier, "versions"]))
        let refusals: Page<ConfigurationRefusal> = try await call.door.get(
            RequestPath.text(["apps", identifier, "refusals"]))
        let specifications: Page<SpecificationSummary> = try await call.door.get(
            RequestPath.text(["apps", identifier, "specifications"]))
        let assignments: Page<Assignment> = try await call.door.get(
            RequestPath.text(["assignments"], query: [("app", identifier)]))
        let states: AppStates = try await call.door.get(RequestPath.text(["apps", identifier, "states"]))
        var parts: HTML = Facts.html([
            ("Identifier", Code.copied(app.bundleIdentifier, what: "the identifier")),
            ("Team", app.teamIdentifier.map(Code.html)), ("Devices", devices(versions.items)),
            ("Devices get it", Link.html("Sources and packages", ["apps", identifier, "sources"])),
            ("State", AppHealth(states).badge.html),
            ("Not in order", "\(states.notInOrder)"),
        ])
        parts = "<section class=\"panel\" data-part=\"Facts\">\(parts)</section>"
        parts += Panel.html("How it fares", AppHealth.table(states))
        parts += Panel.html("Refusals", RefusalList.html(refusals.items, call))
        if call.may(.lookInside, app: identifier) {
            let configurations: Page<ConfigurationSummary> = try await call.door.get(
                RequestPath.text(["apps", identifier, "configurations"]))
            parts += self.configurations(configurations.items, identifier, call)
            parts += try await FeedbackPart.ofApp(identifier, configurations.items, call)
        }
        parts += self.assignments(assignments.items, identifier, call)
        parts += Panel.html("Versions on devices", self.versions(versions.items, identifier))
        parts += self.specifications(specifications.items, identifier, call)
        parts += AppRemovalPage.link(identifier, call) ?? .empty
        return call.page(app.name, in: .apps, trail: [Shell.Step("Apps", ["apps"])], live: live, parts)
    }

    private static func devices(_ versions: [AppVersionSummary]) -> HTML { "\(versions.reduce(0) { $0 + $1.devices })" }

    private static func configurations(
        _ items: [ConfigurationSummary], _ app: String, _ call: ConsoleCall
    ) -> HTML {
        let new: HTML? =
            call.may(.configure, app: app) ? Link.ifPage("New configuration", ["apps", app, "configurations"]) : nil
        let first: HTML =
            new == nil
            ? "Somebody who may configure the app makes the first one"
            : Link.html("Make the first one", ["apps", app, "configurations"])
        let content =
            items.isEmpty
            ? EmptyState.html(
                "There is no configuration yet",
                """
                The app runs with what it brings itself until it is given one. \(first), or use \
                <code>martlet configuration set</code>.
                """)
            : Table(
                caption: "Configurations", columns: ["Name", "Version", "Changed", "Size"],
                rows: items.map { item in
                    [
                        Link.ifThere(item.name, ["apps", app, "configurations", item.name]), "\(item.version)",
                        Moment.html(item.modified, now: call.request.now), "\(item.size) bytes",
                    ]
                }
            ).html
        return Panel.html("Configurations", aside: new ?? .empty, content)
    }

    private static func assignments(_ items: [Assignment], _ app: String, _ call: ConsoleCall) -> HTML {
        let give: HTML =
            call.may(.assign, app: app)
            ? Link.html("Give it to a group", ["apps", app, "assignments"])
            : "Somebody who may assign apps gives it to a group"
        let content =
            items.isEmpty
            ? EmptyState.html(
                "No group has this app",
                "Devices get an app by their groups. \(give), or use <code>martlet assign</code>.")
            : Table(
                caption: "Assignments", columns: ["Group", "Configuration"],
                rows: items.map { item in
                    [
                        Link.ifThere(item.group, ["groups", item.group]),
                        item.configuration.map { "\($0)" } ?? "<span class=\"muted\">none</span>",
                    ]
                }
            ).html
        let links: HTML = """
            <span class="row">\(call.may(.assign, app: app) ? Link.ifPage("Give it to a group", ["apps", app, "assignments"]) : nil)
            \(call.may(.lookInside, app: app) ? Link.html("Secrets", ["apps", app, "secrets"]) : nil)</span>
            """
        return Panel.html("Assignments", aside: links, content)
    }

    private static func versions(_ items: [AppVersionSummary], _ app: String) -> HTML {
        guard !items.isEmpty else {
            return EmptyState.html(
                "No device reports this app",
                """
                It appears here once a device of a group that has it reports it. Where devices get it says \
                \(Link.html("Sources and packages", ["apps", app, "sources"])).
                """)
        }
        return Bars(
            caption: "Versions on devices", of: "Version", counted: "Devices",
            bars: items.map { Bars.Bar(label: "\($0.version)", number: $0.devices) }
        ).html
    }

    private static func specifications(
        _ items: [SpecificationSummary], _ app: String, _ call: ConsoleCall
    ) -> HTML {
        let new: HTML? =
            call.may(.configure, app: app) ? Link.ifPage("Import", ["apps", app, "import"]) : nil
        let add: HTML =
            new == nil
            ? "Somebody who may configure the app imports it" : Link.html("Import it", ["apps", app, "import"])
        let content =
            items.isEmpty
            ? EmptyState.html(
                "The app has published nothing",
                """
                With its specification configurations are checked before devices get them, and forms are made of it. It \
                comes with a package that the server hosts. \(add), or use <code>martlet app specification set</code>.
                """)
            : Table(
                caption: "Specifications", columns: ["Version", "Added", "By"],
                rows: items.map { item in
                    [
                        Link.ifThere(item.version, ["apps", app, "specifications", item.version]),
                        Moment.html(item.added, now: call.request.now), "\(item.author)",
                    ]
                }
            ).html
        return Panel.html("Specifications", aside: new ?? .empty, content)
    }
}
