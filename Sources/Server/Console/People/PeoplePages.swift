import AdminMessages

/// The people whose devices are configured for them.
enum PeoplePages {
    static let routes =
        [
            ConsoleRoute(.get, "/people", serve: list),
            ConsoleRoute(.get, "/new/person", serve: { call in new(call) }),
            ConsoleRoute(.post, "/new/person", serve: add),
        ] + PersonPage.routes + InvitationPages.routes + PeopleImportPage.routes

    static let trail = [Shell.Step("People", ["people"])]

    private static func list(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<Person> = try await call.door.get(RequestPath.text(["people"], query: query))
        let rows: [[HTML]] = page.items.map { person in
            [
                Link.html(person.userName, ["people", person.userName]), "\(person.details.fullName ?? "")",
                "\(person.details.department ?? "")", "\(person.details.email ?? "")",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("Nobody yet", "What is known of a person fills variables such as ${person.email} in.")
            : Table(caption: "People", columns: ["User name", "Full name", "Department", "Email"], rows: rows).html
        let links: HTML = """
            <span class="row">\(call.may(.manage) ? Link.button("Add a person", ["new", "person"]) : nil)
            \(call.may(.manage) ? Link.html("Import a table", ["new", "people"]) : nil)
            \(Link.html("Invitations", ["invitations"]))</span>
            """
        return call.page(
            "People", in: .people, aside: links, "\(table)\(Pager.html(next: page.next, in: ["people"], call))")
    }

    private static func new(_ call: ConsoleCall, _ refusal: AdminRefused? = nil) -> ConsoleAnswer {
        let name = Field(
            "userName", "User name", value: call.request.form["userName"] ?? "",
            hint: "Unique, and never changed afterwards.", isRequired: true)
        let edit = FormEdit(PersonForm.labels, call.request.form)
        return call.page(
            "Add a person", in: .people, trail: trail, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(call.form(
                to: ConsolePath.text(["new", "person"]), "\(name.line)\(PersonForm.fields(edit))<button>Add</button>"))
            """)
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let name = call.request.form["userName"] ?? ""
        let edit = FormEdit(PersonForm.labels, call.request.form)
        do {
            // Without what it began with it holds only where nobody is called so.
            try await call.door.send("PUT", RequestPath.text(["people", name]), PersonForm.details(edit), of: edit)
            return .seeOther(["people", name], .added)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            return new(call, refusal)
        }
    }
}

/// What is known of a person, as a form.
enum PersonForm {
    static let labels = [
        (name: "fullName", label: "Full name"), (name: "firstName", label: "First name"),
        (name: "lastName", label: "Last name"), (name: "email", label: "Email"),
        (name: "department", label: "Department"), (name: "principalName", label: "Principal name"),
        (name: "accountName", label: "Account name"), (name: "distinguishedName", label: "Distinguished name"),
        (name: "locale", label: "Locale"),
    ]

    static func fields(_ edit: FormEdit) -> HTML {
        let lines: [HTML] = labels.map { Field($0.name, $0.label, value: edit[$0.name]).line }
        return "\(edit.hidden)\(lines)"
    }

    static func values(_ details: PersonDetails) -> [String: String] {
        let all = [
            "fullName": details.fullName, "firstName": details.firstName, "lastName": details.lastName,
            "email": details.email, "department": details.department, "principalName": details.principalName,
            "accountName": details.accountName, "distinguishedName": details.distinguishedName,
            "locale": details.locale,
        ]
        return all.compactMapValues { $0 }
    }

    static func details(_ edit: FormEdit) -> PersonDetails {
        PersonDetails(
            fullName: edit.value("fullName"), firstName: edit.value("firstName"), lastName: edit.value("lastName"),
            email: edit.value("email"), department: edit.value("department"),
            principalName: edit.value("principalName"), accountName: edit.value("accountName"),
            distinguishedName: edit.value("distinguishedName"), locale: edit.value("locale"))
    }
}
