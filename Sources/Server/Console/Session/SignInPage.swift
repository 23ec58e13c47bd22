import AdminMessages

/// Where somebody signs in, and how a session ends.
///
/// A new session is opened each time and the one the browser had ends: a token that somebody else put into the browser is
/// worth nothing afterwards.
enum SignInPage {
    static let path = ["sign-in"]
    private static let next = "next"

    /// Sends somebody who is not signed in here, and afterwards where they wanted to look.
    static func asked(by request: ConsoleRequest) -> ConsoleAnswer {
        guard request.method == .get, !request.path.isEmpty else { return .signedOut(to: ConsolePath.text(path)) }
        let wanted = ConsolePath.text(request.path, query: request.query.sorted { $0.key < $1.key }.map { ($0, $1) })
        return .signedOut(to: ConsolePath.text(path, query: [(next, wanted)]))
    }

    static func answer(
        _ request: ConsoleRequest, through door: any AdminDoor, beside other: ForeignSignIn?
    ) async throws -> ConsoleAnswer? {
        switch (request.method, request.path) {
        case (.get, path):
            let flash = request.query[Flash.parameter].flatMap(Flash.init)
            return .page(form(next: request.query[next], flash: flash, beside: other))
        case (.post, path): return try await signIn(request, door, beside: other)
        case (.post, ["sign-out"]): return try await signOut(request, door, everywhere: false)
        case (.post, ["sign-out-everywhere"]): return try await signOut(request, door, everywhere: true)
        default: return nil
        }
    }

    private static func signIn(
        _ request: ConsoleRequest, _ door: any AdminDoor, beside other: ForeignSignIn?
    ) async throws -> ConsoleAnswer {
        let name = request.form["name"] ?? ""
        do {
            let wish = SessionRequest(name: name, password: request.form["password"] ?? "")
            let opened = try AdminJSON.decode(
                SessionAnswer.self, from: try await door.send("POST", "/session", wish).body)
            try await end(door)
            let wanted = ownAddress(request.form[next])
            let change = ConsolePath.text(["password"], query: [("name", name)])
            let to = opened.mustChangePassword ? change : wanted ?? ConsolePages.root
            return .signedIn(token: opened.token, to: to)
        } catch let refusal as AdminRefused {
            let page = form(name: name, next: request.form[next], problem: refusal.problem, beside: other)
            return .page(page, status: refusal.status)
        }
    }

    private static func signOut(
        _ request: ConsoleRequest, _ door: any AdminDoor, everywhere: Bool
    ) async throws -> ConsoleAnswer {
        if everywhere { try await door.send("DELETE", "/sessions") }
        try await end(door)
        return .signedOut(to: ConsolePath.text(path, query: [(Flash.parameter, Flash.signedOut.rawValue)]))
    }

    /// Ends the session that the browser came with, if it has one that has not ended.
    private static func end(_ door: any AdminDoor) async throws {
        do {
            try await door.send("DELETE", "/session")
        } catch let refusal as AdminRefused where refusal.status == 401 {
            return
        }
    }

    /// An address of this console; a link must not lead to another site after the sign-in.
    static func ownAddress(_ address: String?) -> String? {
        guard let address, address.utf8.count <= 2_048,
            address == ConsolePages.root || address.hasPrefix(ConsolePages.root + "/")
                || address.hasPrefix(ConsolePages.root + "?"),
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return address
    }

    private static func form(
        name: String = "", next: String? = nil, problem: Problem? = nil, flash: Flash? = nil,
        beside other: ForeignSignIn?
    ) -> HTML {
        let wanted: HTML? = ownAddress(next).map { "<input type=\"hidden\" name=\"\(Self.next)\" value=\"\($0)\">" }
        let said: HTML? = flash.map { "<p class=\"flash\" role=\"status\">\($0.sentence)</p>" }
        return Shell.bare(
            "Sign in",
            """
            \(said)\(problem.map(ProblemPage.alert))
            <form class="form" method="post" action="\(ConsolePath.text(path))">\(wanted)
            \(Field("name", "Name", value: name, isRequired: true, completion: "username").line)
            \(Field("password", "Password", isRequired: true, completion: "current-password").secret)
            <p><button>Sign in</button></p>
            </form>
            \(other.map { "<p><a class=\"button plain\" href=\"\($0.path)\">Sign in with \($0.name)</a></p>" as HTML })
            """)
    }
}
