import AdminMessages

/// Where devices get an app: its sources, and the packages of it that the server hosts.
enum AppSourcePage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/sources", serve: { call in try await show(call) }),
        ConsoleRoute(.get, "/apps/{app}/sources/{platform}/{origin}", serve: { call in try await edit(call) }),
        ConsoleRoute(.post, "/apps/{app}/sources", serve: add),
        ConsoleRoute(.post, "/apps/{app}/sources/{platform}/{origin}", serve: save),
        ConsoleRoute(.post, "/apps/{app}/sources/{platform}/{origin}/remove", serve: remove),
        ConsoleRoute(.post, "/apps/{app}/update-check", serve: checkForUpdates),
    ]

    private static func path(_ call: ConsoleCall) -> [String] { ["apps", call.parameter("app"), "sources"] }

    private static func place(_ call: ConsoleCall) -> [String] {
        path(call) + [call.parameter("platform"), call.parameter("origin")]
    }

    static func trail(_ app: String) -> [Shell.Step] {
        [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])]
    }

    // MARK: All

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let sources: Page<AppSource> = try await call.door.get(RequestPath.text(path(call)))
        let packages: Page<Package> = try await call.door.get(RequestPath.text(["apps", app, "packages"]))
        let mayChange = call.may(.configure, app: app)
        return call.page(
            "Where devices get \(app)", in: .apps, trail: trail(app), status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("Sources", table(sources.items, call)))
            \(Panel.html("Packages that the server hosts", AppPackagePage.table(packages.items, call)))
            \(mayChange ? Panel.html("New source", call.form(to: ConsolePath.text(path(call)), new(call))) : nil)
            \(mayChange ? updates(call) : nil)
            """)
    }

    private static func table(_ sources: [AppSource], _ call: ConsoleCall) -> HTML {
        guard !sources.isEmpty else {
            return EmptyState.html("No source yet", "A device that has the app already takes it over as it is.")
        }
        return Table(
            caption: "Sources", columns: ["Platform", "Origin", "Location", "Install", "Updates", "At least"],
            rows: sources.map { source in
                let least = [
                    source.minimumOSVersion.map { "OS \($0)" }, source.minimumAgentVersion.map { "agent \($0)" },
                ].compactMap { $0 }.joined(separator: ", ")
                return [
                    Link.html(source.platform, path(call) + [source.platform, source.origin]), "\(source.origin)",
                    source.location.map { Code.html($0) } ?? "", "\(source.install)",
                    "\(source.updates ?? "as the device decides")", "\(least)",
                ]
            }
        ).html
    }

    private static func new(_ call: ConsoleCall) -> HTML {
        let form = call.request.form
        let platform = Field("platform", "Platform", value: form["platform"] ?? "linux")
        let origin = Field(
            "origin", "Origin", value: form["origin"] ?? "package",
            hint: "A device gets the first of these whose minimums it meets.")
        return """
            \(platform.choice(AppSourceForm.platforms))\(origin.choice(AppSourceForm.origins))
            \(AppSourceForm.fields(FormEdit(AppSourceForm.labels, form)))<button>Add</button>
            """
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let edit = FormEdit(AppSourceForm.labels, form)
        do {
            try await call.door.send(
                "PUT", RequestPath.text(path(call) + [form["platform"] ?? "", form["origin"] ?? ""]),
                AppSourceForm.request(edit), of: edit)
            return .seeOther(path(call), .added)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    private static func updates(_ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(["apps", call.parameter("app"), "update-check"]),
            "<button class=\"plain\">Have devices look for an update</button>")
    }

    private static func checkForUpdates(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await call.door.send("POST", RequestPath.text(["apps", call.parameter("app"), "update-check"]))
        return .seeOther(path(call), .saved)
    }

    // MARK: One

    private static func present(_ call: ConsoleCall) async throws -> FormEdit {
        let source: (value: AppSource, entityTag: String?)? = try await call.door.present(
            RequestPath.text(place(call)))
        return FormEdit(
            AppSourceForm.labels, of: source.map { AppSourceForm.values($0.value) } ?? [:], tag: source?.entityTag)
    }

    private static func edit(
        _ call: ConsoleCall, edit known: FormEdit? = nil, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let present = try await present(call)
        guard present.tag != nil || known != nil else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        let edit = known ?? present
        let mayChange = call.may(.configure, app: app)
        let facts: [(String, HTML?)] = AppSourceForm.labels.map { field in
            (field.label, edit.value(field.name).map { Code.html($0) })
        }
        let content =
            mayChange
            ? call.form(to: ConsolePath.text(place(call)), "\(AppSourceForm.fields(edit))<button>Save</button>")
            : Facts.html(facts)
        let removal: HTML? =
            mayChange
            ? call.form(
                to: ConsolePath.text(place(call) + ["remove"]),
                "\(edit.hidden)<button class=\"danger\">Remove this source</button>") : nil
        return call.page(
            "\(call.parameter("platform")), \(call.parameter("origin"))", in: .apps,
            trail: trail(app) + [Shell.Step("Sources", path(call))], status: refusal?.status ?? 200,
            "\(edit.alert ?? refusal.map { ProblemPage.alert($0.problem) })<section class=\"panel\">\(content)</section>\(removal)"
        )
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(AppSourceForm.labels, call.request.form)
        do {
            try await call.door.send("PUT", RequestPath.text(place(call)), AppSourceForm.request(edit), of: edit)
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            let edit = try await edit.after(refusal) { try await present(call) }
            return try await Self.edit(call, edit: edit, refusal: refusal)
        }
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(AppSourceForm.labels, call.request.form)
        do {
            try await call.door.send("DELETE", RequestPath.text(place(call)), ifMatch: edit.tag)
            return .seeOther(path(call), .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await Self.edit(call, refusal: refusal)
        }
    }
}

/// The form of a source.
enum AppSourceForm {
    static let platforms = [
        ("linux", "Linux"), ("macos", "macOS"), ("ios", "iPhone and iPad"), ("visionos", "visionOS"),
    ]
    static let origins = [
        ("package", "A package that the server hosts"), ("manifest", "A manifest"), ("app-store", "The App Store"),
        ("installed", "Installed already"),
    ]
    static let labels = [
        (name: "location", label: "Location"), (name: "license", label: "License"),
        (name: "install", label: "Install"), (name: "updates", label: "Updates"),
        (name: "minimumOSVersion", label: "At least this version of the system"),
        (name: "minimumAgentVersion", label: "At least this version of the agent"),
    ]

    static func fields(_ edit: FormEdit) -> HTML {
        let location = Field(
            "location", "Location", value: edit["location"],
            hint: "The digest of a package, the URL of a manifest, or the number of an app of the App Store.")
        let license = Field("license", "License", value: edit["license"], hint: "For the App Store.")
        let install = Field("install", "Install", value: edit["install"])
        let updates = Field("updates", "Updates", value: edit["updates"])
        let system = Field(
            "minimumOSVersion", "At least this version of the system", value: edit["minimumOSVersion"])
        let agent = Field(
            "minimumAgentVersion", "At least this version of the agent", value: edit["minimumAgentVersion"])
        return """
            \(edit.hidden)\(location.line)
            \(license.choice([("", "As usual"), ("device", "Of the device"), ("user", "Of its user")]))
            \(install.choice([("required", "Required"), ("optional", "Optional")]))
            \(updates.choice([
                ("", "As the device decides"), ("always", "Always"), ("never", "Never"),
                ("store-settings", "As the store is set"),
            ]))
            \(system.line)\(agent.line)
            """
    }

    static func values(_ source: AppSource) -> [String: String] {
        [
            "location": source.location, "license": source.license, "install": source.install,
            "updates": source.updates, "minimumOSVersion": source.minimumOSVersion,
            "minimumAgentVersion": source.minimumAgentVersion,
        ].compactMapValues { $0 }
    }

    static func request(_ edit: FormEdit) -> AppSourceRequest {
        AppSourceRequest(
            location: edit.value("location"), license: edit.value("license"), install: edit.value("install"),
            updates: edit.value("updates"), minimumOSVersion: edit.value("minimumOSVersion"),
            minimumAgentVersion: edit.value("minimumAgentVersion"))
    }
}
