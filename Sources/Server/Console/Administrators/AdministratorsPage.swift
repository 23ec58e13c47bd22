import AdminMessages

/// The administrators and their rights; adds one, whose one-time password is shown once.
enum AdministratorsPage {
    static let routes =
        [
            ConsoleRoute(.get, "/administrators", serve: { call in try await list(call) }),
            ConsoleRoute(.post, "/administrators", serve: add),
        ] + AdministratorPage.routes

    static let path = ["administrators"]
    static let trail = [Shell.Step("Administrators", path)]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let administrators: Page<Administrator> = try await call.door.get(RequestPath.text(path))
        let form = call.may(.administer) ? Panel.html("New administrator", fields(call)) : nil
        return call.page(
            "Administrators", in: .administrators, status: refusal?.status ?? 200,
            "\(refusal.map { ProblemPage.alert($0.problem) })\(table(administrators.items, call))\(form)")
    }

    private static func table(_ administrators: [Administrator], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Administrators", columns: ["Name", "Role", "Apps", "Groups", "Password", "Added"],
            rows: administrators.map { one in
                [
                    Link.html(one.name, path + [one.name]), "\(one.role.rawValue)",
                    "\((one.apps ?? []).joined(separator: ", "))", "\((one.groups ?? []).joined(separator: ", "))",
                    password(one), Moment.html(one.created, now: call.request.now),
                ]
            }
        ).html
    }

    static func password(_ one: Administrator) -> HTML {
        one.mustChangePassword ? Badge(.warn, "One-time").html : Badge(.good, "Own").html
    }

    // MARK: A new one

    private static func fields(_ call: ConsoleCall) -> HTML {
        let name = Field(
            "name", "Name", value: call.request.form["name"] ?? "", hint: "1 to 128 letters, digits and . _ @ + -.",
            isRequired: true)
        let edit = FormEdit(AdministratorForm.labels, call.request.form)
        return call.form(
            to: ConsolePath.text(path),
            "\(name.line)\(AdministratorForm.fields(edit))<button>Add an administrator</button>")
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let rights = AdministratorForm.rights(FormEdit(AdministratorForm.labels, call.request.form))
        let wish = AdministratorRequest(
            name: call.request.form["name"] ?? "", role: rights.role, apps: rights.apps, groups: rights.groups)
        do {
            let answer = try await call.door.send("POST", RequestPath.text(path), wish)
            return shown(call, try AdminJSON.decode(AdministratorPassword.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    /// The one time that a password is shown.
    static func shown(_ call: ConsoleCall, _ answer: AdministratorPassword) -> ConsoleAnswer {
        let name = answer.administrator.name
        return call.page(
            "The password of \(name)", in: .administrators, trail: trail + [Shell.Step(name, path + [name])],
            """
            <p>It is shown only once, and opens nothing but the page on which \(name) chooses another.</p>
            <section class="panel">\(Code.copied(answer.oneTimePassword, what: "the one-time password"))</section>
            \(answer.expires.map { "<p>It ends if it is not used until \(Moment.exact($0)).</p>" as HTML })
            <p>\(Link.html("To the administrators", path))</p>
            """)
    }
}
