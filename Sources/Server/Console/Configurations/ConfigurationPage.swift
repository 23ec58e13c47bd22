import AdminMessages
import AppSpecification
import InputBounds
import JSONSchema

/// One configuration: what it holds, its history, and what two versions differ in.
enum ConfigurationPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/configurations", serve: list),
        ConsoleRoute(.post, "/apps/{app}/configurations", serve: create),
        ConsoleRoute(.get, "/apps/{app}/configurations/{name}", serve: show),
        ConsoleRoute(.get, "/apps/{app}/configurations/{name}/versions/{version}", serve: version),
        ConsoleRoute(.post, "/apps/{app}/configurations/{name}/versions/{version}", serve: revert),
        ConsoleRoute(.post, "/apps/{app}/configurations/{name}/remove", serve: remove),
    ]

    // MARK: All of an app

    private static func list(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let path = ["apps", app, "configurations"]
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<ConfigurationSummary> = try await call.door.get(RequestPath.text(path, query: query))
        let rows: [[HTML]] = page.items.map { one in
            [
                Link.html(one.name, path + [one.name]), "\(one.version)", "\(one.size) bytes",
                Moment.html(one.modified, now: call.request.now),
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No configuration yet", "A configuration holds the values that the app gets on devices.")
            : Table(caption: "Configurations", columns: ["Name", "Version", "Size", "Changed"], rows: rows).html
        return call.page(
            "Configurations of \(app)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])],
            """
            \(table)\(Pager.html(next: page.next, in: path, call))
            \(call.may(.configure, app: app) ? Panel.html("New configuration", new(call, path, nil, "")) : nil)
            """)
    }

    private static func new(_ call: ConsoleCall, _ path: [String], _ problem: String?, _ typed: String) -> HTML {
        let field = Field(
            "name", "Name", value: typed, hint: "1 to 64 letters, digits, dots, underscores and hyphens.",
            problem: problem, isRequired: true)
        return call.form(
            to: ConsolePath.text(path), "\(field.line)<button>Fill it in</button>")
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let path = ["apps", call.parameter("app"), "configurations"]
        let name = call.request.form["name"] ?? ""
        guard NameRule(.word(and: "._-"), upTo: 64).takes(name) else {
            return call.page(
                "New configuration", in: .apps, status: 422,
                new(call, path, "A name is 1 to 64 letters, digits, dots, underscores and hyphens.", name))
        }
        return .seeOther(path + [name, "edit"])
    }

    // MARK: One

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edited = try await EditedConfiguration(call, part: nil)
        guard let present = edited.present else { return .seeOther(edited.path + ["edit"]) }
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let history: Page<AdminMessages.ConfigurationVersion> = try await call.door.get(
            RequestPath.text(edited.path + ["versions"], query: query))
        let mayChange = call.may(.configure, app: edited.app)
        let edit: HTML = mayChange ? Link.button("Edit", edited.path + ["edit"]) : ""
        let adoption: ConfigurationAdoption = try await call.door.get(RequestPath.text(edited.path + ["adoption"]))
        let uses = try await AssignmentUse.html(of: edited.name, app: edited.app, call)
        return call.page(
            edited.name, in: .apps, trail: edited.trail, aside: edit,
            """
            \(Panel.html("Version \(present.number)", held(present.value, edited.key)))
            \(Panel.html("Who gets it", uses))
            \(Panel.html("On devices", AdoptionPart.html(adoption, now: call.request.now)))
            \(Panel.html("History", table(history.items, edited, call)))
            \(Pager.html(next: history.next, in: edited.path, call))
            \(mayChange ? removal(call, edited) : nil)
            """)
    }

    /// What a configuration holds, key by key.
    private static func held(_ value: PropertyListValue, _ key: SpecifiedKey) -> HTML {
        if key.isSensitive(at: InstancePath()) {
            return ChangeTable.html(
                KeyDifference.all(from: .dictionary([:]), to: value), as: key, since: nil)
        }
        return "<pre tabindex=\"0\">\(ConfigurationText.xml.text(of: value, as: key) ?? "")</pre>"
    }

    private static func table(
        _ versions: [AdminMessages.ConfigurationVersion], _ edited: EditedConfiguration, _ call: ConsoleCall
    ) -> HTML {
        Table(
            caption: "Versions, newest first", columns: ["Version", "When", "Who", "What"],
            rows: versions.map { version in
                let what: HTML = version.revertOf.map { "Brought version \($0) back" } ?? ""
                return [
                    Link.html("Version \(version.version)", edited.path + ["versions", "\(version.version)"]),
                    Moment.html(version.created, now: call.request.now), "\(version.author ?? "")", what,
                ]
            }
        ).html
    }

    private static func removal(_ call: ConsoleCall, _ edited: EditedConfiguration) -> HTML {
        call.form(
            to: ConsolePath.text(edited.path + ["remove"]),
            """
            <input type="hidden" name="base" value="\(edited.present?.seen.text ?? "0")">\
            <button class="danger">Remove this configuration</button>
            """)
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let path = ["apps", call.parameter("app"), "configurations"]
        try await call.door.send(
            "DELETE", RequestPath.text(path + [call.parameter("name")]),
            ifMatch: "\"v\(call.request.form["base"] ?? "")\"")
        return .seeOther(path, .removed)
    }

    // MARK: One version

    private static func version(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edited = try await EditedConfiguration(call, part: nil)
        guard let number = Int(call.parameter("version")),
            let version = try await EditedConfiguration.version(number, of: edited.app, edited.name, call.door)
        else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        let other = call.query("against").flatMap { Int($0) } ?? number - 1
        let older = try await EditedConfiguration.version(other, of: edited.app, edited.name, call.door)
        let changes = KeyDifference.all(from: older?.value ?? .dictionary([:]), to: version.value)
        let isPresent = number == edited.present?.number
        return call.page(
            "Version \(number)", in: .apps, trail: edited.trail + [Shell.Step(edited.name, edited.path)],
            """
            \(comparison(call, other))
            \(ChangeTable.html(changes, as: edited.key, since: older?.number))
            \(Panel.html("What it holds", held(version.value, edited.key)))
            \(isPresent || !call.may(.configure, app: edited.app) ? nil : reverting(call, edited))
            """)
    }

    private static func comparison(_ call: ConsoleCall, _ other: Int) -> HTML {
        let field = Field("against", "Compare with version", value: other > 0 ? "\(other)" : "")
        return """
            <form class="filters" method="get">\(field.line)<button class="plain">Compare</button></form>
            """
    }

    private static func reverting(_ call: ConsoleCall, _ edited: EditedConfiguration) -> HTML {
        call.form(
            to: ConsolePath.text(edited.path + ["versions", call.parameter("version")]),
            """
            <input type="hidden" name="base" value="\(edited.present?.seen.text ?? "0")">\
            <button>Bring this version back</button>
            """)
    }

    private static func revert(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let path = ["apps", call.parameter("app"), "configurations", call.parameter("name")]
        let version = Int(call.parameter("version")) ?? 0
        let query = call.request.form["force"] != nil ? [("force", "true")] : []
        do {
            try await call.door.send(
                "POST", RequestPath.text(path + ["revert"], query: query), RevertRequest(version: version),
                ifMatch: "\"v\(call.request.form["base"] ?? "")\"")
            return .seeOther(path, .saved)
        } catch let refusal as AdminRefused where refusal.problem.findings?.isEmpty == false {
            let force = call.form(
                to: ConsolePath.text(path + ["versions", "\(version)"]),
                """
                <input type="hidden" name="base" value="\(call.request.form["base"] ?? "")">\
                <input type="hidden" name="force" value="1">\
                <button class="danger">Bring it back nevertheless</button>
                """)
            return call.page(
                "Version \(version) is refused", in: .apps, status: refusal.status,
                "\(ProblemPage.alert(refusal.problem))\(force)")
        }
    }
}
