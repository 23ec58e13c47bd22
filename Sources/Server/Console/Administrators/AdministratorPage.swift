import AdminMessages

/// One administrator: what they may do, another password, their end.
enum AdministratorPage {
    static let routes = [
        ConsoleRoute(.get, "/administrators/{administrator}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/administrators/{administrator}", serve: save),
        ConsoleRoute(.post, "/administrators/{administrator}/password", serve: reset),
        ConsoleRoute(.post, "/administrators/{administrator}/remove", serve: remove),
    ]

    private static func path(_ call: ConsoleCall) -> [String] {
        AdministratorsPage.path + [call.parameter("administrator")]
    }

    private static func present(_ call: ConsoleCall) async throws -> (one: Administrator, edit: FormEdit) {
        let (one, tag): (Administrator, String?) = try await call.door.tagged(RequestPath.text(path(call)))
        return (one, FormEdit(AdministratorForm.labels, of: AdministratorForm.values(one), tag: tag))
    }

    private static func show(
        _ call: ConsoleCall, edit known: FormEdit? = nil, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let (one, fresh) = try await present(call)
        let edit = known ?? fresh
        let may = call.may(.administer)
        let rights: HTML =
            may
            ? call.form(to: ConsolePath.text(path(call)), "\(AdministratorForm.fields(edit))<button>Save</button>")
            : Facts.html(
                AdministratorForm.labels.map { field in (field.label, edit.value(field.name).map { "\($0)" }) })
        return call.page(
            one.name, in: .administrators, trail: AdministratorsPage.trail, status: refusal?.status ?? 200,
            """
            \(edit.alert ?? refusal.map { ProblemPage.alert($0.problem) })
            \(Facts.html([
                ("Password", AdministratorsPage.password(one)), ("Added", Moment.html(one.created, now: call.request.now)),
            ]))
            \(Panel.html("What they may do", rights))
            \(may ? Panel.html("Password", resetting(call, one)) : nil)
            \(may ? removal(call, fresh) : nil)
            """)
    }

    // MARK: Changes

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(AdministratorForm.labels, call.request.form)
        do {
            try await call.door.send("PUT", RequestPath.text(path(call)), AdministratorForm.rights(edit), of: edit)
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 409, 412, 422].contains(refusal.status) {
            let edit = try await edit.after(refusal) { try await present(call).edit }
            return try await show(call, edit: edit, refusal: refusal)
        }
    }

    /// What a reset is held to: whether their password is their own, or one that somebody gave them.
    private static func password(of one: Administrator) -> FormEdit {
        FormEdit(
            [(name: "one-time", label: "One-time")], of: ["one-time": one.mustChangePassword ? "yes" : "no"], tag: nil)
    }

    private static func resetting(_ call: ConsoleCall, _ one: Administrator) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["password"]),
            """
            \(password(of: one).hidden)\
            <p>A one-time password takes the place of theirs, and their sessions end.</p>
            <button class="danger">Give them a one-time password</button>
            """)
    }

    /// A one-time password that somebody else gave them meanwhile is not made worthless unseen.
    private static func reset(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let one = try await call.door.present(RequestPath.text(path(call)), as: Administrator.self)
        let condition = one.flatMap { password(of: $0.value).condition(shownBy: call.request.form) }
        let answer: AdminDoorAnswer
        do {
            answer = try await call.door.send(
                "POST", RequestPath.text(path(call) + ["password"]), ifMatch: condition)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
        return AdministratorsPage.shown(call, try AdminJSON.decode(AdministratorPassword.self, from: answer.body))
    }

    private static func removal(_ call: ConsoleCall, _ edit: FormEdit) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            """
            \(edit.hidden)<p class="hint">Their sessions and API tokens end. What they did stays in the activity.</p>
            <button class="danger">Remove this administrator</button>
            """)
    }

    /// An administrator whose rights changed meanwhile is not removed unseen.
    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(AdministratorForm.labels, call.request.form)
        do {
            try await call.door.send("DELETE", RequestPath.text(path(call)), ifMatch: edit.tag)
            return .seeOther(AdministratorsPage.path, .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }
}
