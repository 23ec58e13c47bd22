import AdminMessages
import AppSpecification
import Foundation

/// Adding an app, and taking in what it publishes.
enum AppEditPage {
    static let routes = [
        ConsoleRoute(.get, "/new/app", serve: { call in newApp(call) }),
        ConsoleRoute(.post, "/new/app", serve: add),
        ConsoleRoute(.get, "/apps/{app}/import", serve: { call in importing(call) }),
        ConsoleRoute(.post, "/apps/{app}/import", serve: take),
    ]

    private static func newApp(_ call: ConsoleCall, _ refusal: AdminRefused? = nil) -> ConsoleAnswer {
        let form = call.request.form
        let identifier = Field(
            "app", "Bundle identifier", value: form["app"] ?? "",
            hint: "As the app calls itself: com.example.landmarks.",
            isRequired: true)
        let name = Field("name", "Name", value: form["name"] ?? "", hint: "What people call it.", isRequired: true)
        let team = Field(
            "team", "Team identifier", value: form["team"] ?? "",
            hint: "Who must have signed its packages; may be left empty.")
        return call.page(
            "Add an app", in: .apps, trail: [Shell.Step("Apps", ["apps"])], status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(call.form(to: ConsolePath.text(["new", "app"]), "\(identifier.line)\(name.line)\(team.line)<button>Add</button>"))
            """)
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let app = form["app"] ?? ""
        let team = form["team"].flatMap { $0.isEmpty ? nil : $0 }
        do {
            // One that is known already is not called otherwise unseen.
            try await call.door.send(
                "PUT", RequestPath.text(["apps", app]),
                App(bundleIdentifier: app, name: form["name"] ?? "", teamIdentifier: team),
                of: FormEdit([], of: [:], tag: nil))
            return .seeOther(["apps", app], .added)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            return newApp(call, refusal)
        }
    }

    // MARK: Its specification

    private static func importing(
        _ call: ConsoleCall, problem: String? = nil, notes: [String] = [], refusal: AdminRefused? = nil,
        present: (version: String, tag: String?)? = nil
    ) -> ConsoleAnswer {
        let app = call.parameter("app")
        let form = call.request.form
        let text = Field(
            "text", "Specification", value: form["text"] ?? "",
            hint:
                "The text of the file: JSON Schema, AppConfig’s XML, a ProfileManifest, Android’s restrictions or Jamf’s schema.",
            problem: problem, isRequired: true)
        let version = Field(
            "version", "Version of the app", value: form["version"] ?? "",
            hint: "Only where the specification does not say it.")
        let list: HTML? = notes.isEmpty ? nil : "<ul>\(notes.map { "<li>\($0)</li>" as HTML })</ul>"
        let isFailed = problem != nil || refusal != nil
        let other: HTML? = present.map { present in
            """
            <p>\(Link.html("Version \(present.version)", ["apps", app, "specifications", present.version])) has another \
            specification. Nothing is saved: imported again, yours replaces it.</p>
            """
        }
        return call.page(
            "Import a specification", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])],
            status: present != nil ? 412 : isFailed ? 422 : 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(other)
            \(list.map { Panel.html("What the conversion says", $0) })
            \(call.form(
                to: ConsolePath.text(["apps", app, "import"]),
                """
                <div class="field" data-file="field-text" hidden><label for="file">File</label>\
                <input type="file" id="file"></div>
                <input type="hidden" name="base" value="\(present?.tag ?? "")">
                \(text.area(rows: 16))\(version.line)<button>Import</button>
                """ as HTML))
            """)
    }

    private static func take(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let form = call.request.form
        let bytes = Data((form["text"] ?? "").replacing("\r\n", with: "\n").utf8)
        guard bytes.count <= SpecificationLimits.bytes else {
            return importing(call, problem: "A specification is at most \(SpecificationLimits.bytes) bytes.")
        }
        let converted: Converted<AppSpecification>
        do {
            converted = try SpecificationFormat.read(bytes, bundleIdentifier: app)
        } catch {
            return importing(call, problem: error.description)
        }
        let typed = form["version"].flatMap { $0.isEmpty ? nil : $0 }
        guard let version = typed ?? converted.value.app.version else {
            return importing(
                call, problem: "It does not say of which version of the app it is: name the version.",
                notes: converted.notes.map(\.description))
        }
        let (place, document) = (
            RequestPath.text(["apps", app, "specifications", version]), converted.value.canonical()
        )
        let seen = form["base"].flatMap { $0.isEmpty ? nil : $0 }
        do {
            _ = try await call.door.send(
                "PUT", place, bytes: document, type: "application/json",
                headers: seen.map { ["If-Match": $0] } ?? ["If-None-Match": "*"])
        } catch let refusal as AdminRefused where refusal.status == 412 {
            // There is one of this version: another one is not replaced unseen, and the same is there already.
            let present = try await call.door.bytes(place)
            guard present?.bytes == document else {
                return importing(
                    call, notes: converted.notes.map(\.description), refusal: refusal,
                    present: (version, present?.entityTag))
            }
        } catch let refusal as AdminRefused where refusal.status == 422 || refusal.status == 400 {
            return importing(call, notes: converted.notes.map(\.description), refusal: refusal)
        }
        guard converted.notes.isEmpty else { return imported(call, version, converted.notes.map(\.description)) }
        return .seeOther(["apps", app], .saved)
    }

    /// The page after an import, with a list of what the conversion left out.
    private static func imported(_ call: ConsoleCall, _ version: String, _ notes: [String]) -> ConsoleAnswer {
        let app = call.parameter("app")
        return call.page(
            "Imported for version \(version)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])],
            """
            \(Panel.html("What the conversion says", "<ul>\(notes.map { "<li>\($0)</li>" as HTML })</ul>"))
            \(Link.button("To the app", ["apps", app]))
            """)
    }
}
