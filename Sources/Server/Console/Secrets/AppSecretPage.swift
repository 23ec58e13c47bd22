import AdminMessages
import AppSpecification

/// The secrets of one app: what it asks for, and which each group gets.
enum AppSecretPage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/secrets", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/apps/{app}/secrets", serve: assign),
        ConsoleRoute(.post, "/apps/{app}/secrets/remove", serve: unassign),
    ]

    private static let labels: [(name: String, label: String)] = [("secret", "Secret")]

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, edit: FormEdit? = nil
    ) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let query = [("app", app)] + (call.query("cursor").map { [("cursor", $0)] } ?? [])
        let given: Page<SecretAssignment> = try await call.door.get(
            RequestPath.text(["secret-assignments"], query: query))
        let specification = try await EditedConfiguration.specification(of: app, call.door)
        let edit = edit ?? FormEdit(labels, of: [:], tag: nil)
        // What is there already may have been forced as well.
        let mayBeForced = refusal.map { $0.status == 412 || $0.problem.findings?.isEmpty == false } ?? false
        let form =
            call.may(.manage)
            ? Panel.html("Assign a secret", try await fields(call, edit, specification, mayBeForced: mayBeForced)) : nil
        return call.page(
            "Secrets of \(app)", in: .apps, trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])],
            status: refusal?.status ?? 200,
            """
            \(edit.alert ?? refusal.map { ProblemPage.alert($0.problem) })
            \(asked(specification, given.items))
            \(table(given.items, call))\(Pager.html(next: given.next, in: ["apps", app, "secrets"], call))\(form)
            """)
    }

    private static func asked(_ specification: AppSpecification?, _ given: [SecretAssignment]) -> HTML? {
        guard let secrets = specification?.secrets, !secrets.isEmpty else { return nil }
        let items: [HTML] = secrets.map { secret in
            let groups = given.filter { $0.kind.rawValue == secret.kind.rawValue && secret.names($0.identifier) }.count
            let badge =
                groups > 0
                ? Badge(.good, "in \(groups) group\(groups == 1 ? "" : "s")")
                : Badge(secret.isRequired ? .warn : .plain, secret.isRequired ? "required, not given" : "not given")
            return """
                <li><code>\(secret.identifier)\(secret.isPrefix ? "…" : "")</code> (\(secret.kind.rawValue)) \
                \(badge.html) \(secret.purpose ?? "")</li>
                """
        }
        return Panel.html("What the app asks for", "<ul class=\"list\">\(items)</ul>")
    }

    private static func table(_ given: [SecretAssignment], _ call: ConsoleCall) -> HTML {
        guard !given.isEmpty else {
            return EmptyState.html("No secret is given to this app", "Apps find secrets under names of their own.")
        }
        return Table(
            caption: "Secrets that groups’ devices get", columns: ["Identifier", "Kind", "Group", "Secret", "Change"],
            rows: given.map { one in
                [
                    "<code>\(one.identifier)</code>", "\(one.kind.rawValue)",
                    Link.html(one.group, ["groups", one.group]),
                    Link.html(one.secret, ["secrets", one.secret]), call.may(.manage) ? removal(one, call) : "",
                ]
            }
        ).html
    }

    private static func fields(
        _ call: ConsoleCall, _ edit: FormEdit, _ specification: AppSpecification?, mayBeForced: Bool
    ) async throws -> HTML {
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let secrets: Page<Secret> = try await call.door.get(RequestPath.text(["secrets"], query: [("limit", "500")]))
        let form = call.request.form
        let offered = (specification?.secrets ?? []).map(\.identifier)
        let identifier = Field(
            "identifier", "Identifier", value: form["identifier"] ?? (offered.count == 1 ? offered[0] : ""),
            hint: offered.isEmpty
                ? "Under which the app asks for it."
                : "Under which the app asks for it: \(offered.joined(separator: ", ")).",
            isRequired: true)
        let secret = Field("secret", "Secret", value: form["secret"] ?? "")
        let group = Field("group", "Group", value: form["group"] ?? "")
        return call.form(
            to: ConsolePath.text(["apps", call.parameter("app"), "secrets"]),
            """
            \(edit.hidden)\(identifier.line)
            \(secret.choice(secrets.items.map { ($0.name, "\($0.name) (\($0.kind.rawValue))") }))
            \(group.choice(groups.items.map { ($0.name, $0.name) }))\(mayBeForced ? force : HTML.empty)<button>Assign</button>
            """)
    }

    private static let force: HTML = """
        <div class="option"><input type="checkbox" id="force" name="force" value="1">\
        <label for="force">Assign it although the app does not ask for it</label></div>
        """

    private static func assign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let form = call.request.form
        let edit = FormEdit(labels, form)
        var place = ""
        do {
            let secret: Secret = try await call.door.get(RequestPath.text(["secrets", form["secret"] ?? ""]))
            let kind = AppSecretKind(of: secret.kind) ?? .password
            place = RequestPath.text([
                "secret-assignments", form["group"] ?? "", app, kind.rawValue, form["identifier"] ?? "",
            ])
            let forced = form["force"] == nil ? "" : "?force=true"
            try await call.door.send("PUT", place + forced, SecretAssignmentRequest(secret: secret.name), of: edit)
            return .seeOther(["apps", app, "secrets"], .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            // The group gets one under this identifier already: that is not replaced unseen.
            let now = try await present(place, call)
            let merged = edit.merged(with: now.before, tag: now.tag, saidOf: refusal.problem)
            return try await page(call, refusal: refusal, edit: merged)
        } catch let refusal as AdminRefused where [400, 404, 409, 422].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }

    private static func present(_ place: String, _ call: ConsoleCall) async throws -> FormEdit {
        let one: (value: SecretAssignment, entityTag: String?)? = try await call.door.present(place)
        return FormEdit(labels, of: one.map { ["secret": $0.value.secret] } ?? [:], tag: one?.entityTag)
    }

    private static func removal(_ one: SecretAssignment, _ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(["apps", one.app, "secrets", "remove"]),
            """
            <input type="hidden" name="group" value="\(one.group)">\
            <input type="hidden" name="kind" value="\(one.kind.rawValue)">\
            <input type="hidden" name="identifier" value="\(one.identifier)">\
            <input type="hidden" name="extension" value="\(one.extension ?? "")">\
            <input type="hidden" name="secret" value="\(one.secret)">\
            <button class="danger">Take it away<span class="unseen"> from \(one.group): \(one.identifier)</span></button>
            """)
    }

    private static func unassign(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let app = call.parameter("app")
        let query = form["extension"].flatMap { $0.isEmpty ? nil : [("extension", $0)] } ?? []
        let path = [
            "secret-assignments", form["group"] ?? "", app, form["kind"] ?? "", form["identifier"] ?? "",
        ]
        let place = RequestPath.text(path, query: query)
        do {
            try await call.door.send("DELETE", place, ifMatch: tag(of: present(place, call), seen: form["secret"]))
            return .seeOther(["apps", app, "secrets"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await page(call, refusal: refusal)
        }
    }

    /// The tag of what is there, if it is what the person saw; else one that nothing has, so that the API refuses.
    private static func tag(of present: FormEdit, seen secret: String?) -> String? {
        guard let tag = present.tag, let secret else { return nil }
        return present["secret"] == secret ? tag : "\"another\""
    }
}
