import AdminMessages

/// The signed-in administrator, their rights, and the end of their sessions.
enum AccountPage {
    static let path = ["account"]

    static let routes = [
        ConsoleRoute(.get, "/account", serve: show),
        ConsoleRoute(.post, "/account/sign-out-elsewhere", serve: signOutElsewhere),
    ]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let session = call.session
        let facts = Facts.html([
            ("Name", "\(session.name)"), ("Role", "\(session.role.rawValue)"),
            ("Apps", session.apps.map(names)), ("Groups", session.groups.map(names)),
            ("May", "\(session.permissions.map(\.title).joined(separator: "; "))"),
            ("Session ends", Moment.html(session.expires, now: call.request.now)),
        ])
        let here = call.form(to: ConsolePath.text(["sign-out"]), "<button class=\"plain\">Sign out</button>")
        let elsewhere = call.form(
            to: ConsolePath.text(["account", "sign-out-elsewhere"]),
            "<button class=\"plain\">Sign out everywhere else</button>")
        let everywhere = call.form(
            to: ConsolePath.text(["sign-out-everywhere"]), "<button class=\"danger\">Sign out everywhere</button>")
        // The API describes itself, beside the console.
        let programs: HTML = """
            <p>\(Link.html("API tokens", TokensPage.path))</p><p><a href="/api/v1/reference">What the API can do</a></p>
            """
        return call.page(
            "Your account", in: nil,
            """
            \(Panel.html("Session", facts))
            \(Panel.html("Password", "<p>\(Link.button("Change the password", ["password"], query: [("name", session.name)]))</p>"))
            \(Panel.html("Programs", programs))
            \(Panel.html("Signing out", "<div class=\"row\">\(here)\(elsewhere)\(everywhere)</div>"))
            """)
    }

    private static func names(_ names: [String]) -> HTML { "\(names.joined(separator: ", "))" }

    private static func signOutElsewhere(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await call.door.send("DELETE", "/sessions")
        return .seeOther(path, .signedOutElsewhere)
    }
}
