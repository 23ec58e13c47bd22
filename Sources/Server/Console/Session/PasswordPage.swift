import AdminMessages

/// Where somebody changes their password; for some it is the only page until they did.
enum PasswordPage {
    private static let path = ["password"]

    static func answer(_ request: ConsoleRequest, through door: any AdminDoor) async throws -> ConsoleAnswer? {
        guard request.path == path else { return nil }
        guard request.method == .post else { return .page(form(request)) }
        let new = request.form["new"] ?? ""
        guard new == request.form["again"] else {
            let problem = Problem(title: "The new password and its repetition differ", status: 422)
            return .page(form(request, problem: problem), status: 422)
        }
        do {
            try await door.send(
                "PUT", "/session/password", PasswordChange(old: request.form["old"] ?? "", new: new))
        } catch let refusal as AdminRefused where refusal.status != 401 {
            return .page(form(request, problem: refusal.problem), status: refusal.status)
        }
        return .seeOther(AccountPage.path, .passwordChanged)
    }

    /// Password managers need the name that the password belongs to.
    private static func form(_ request: ConsoleRequest, problem: Problem? = nil) -> HTML {
        let name = request.query["name"] ?? request.form["name"] ?? ""
        return Shell.bare(
            "Change the password",
            """
            \(problem.map(ProblemPage.alert))
            <p>A one-time password opens nothing else. The new one has at least 12 characters.</p>
            <form class="form" method="post" action="\(ConsolePath.text(path))">
            <input type="hidden" name="\(Form.tokenName)" value="\(request.formToken ?? "")">
            <input type="text" name="name" value="\(name)" autocomplete="username" readonly hidden>
            \(Field("old", "Present password", isRequired: true, completion: "current-password").secret)
            \(Field("new", "New password", isRequired: true, completion: "new-password").secret)
            \(Field("again", "New password again", isRequired: true, completion: "new-password").secret)
            <p><button>Change the password</button></p>
            </form>
            """)
    }
}
