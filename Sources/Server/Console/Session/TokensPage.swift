import AdminMessages
import Foundation

/// API tokens: made, shown once, listed, ended.
enum TokensPage {
    static let path = ["account", "tokens"]

    static let routes = [
        ConsoleRoute(.get, "/account/tokens", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/account/tokens", serve: create),
        ConsoleRoute(.post, "/account/tokens/{id}/revoke", serve: revoke),
    ]

    private static let spans = [
        ("86400", "a day"), ("604800", "a week"), ("2592000", "30 days"), ("7776000", "90 days"),
        ("31536000", "a year"),
    ]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<TokenSummary> = try await call.door.get(RequestPath.text(["tokens"], query: query))
        return call.page(
            "API tokens", in: nil, trail: [Shell.Step("Your account", AccountPage.path)],
            status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            <p>Programs show a token in your place. It may do what it says here, and never more than you may.</p>
            \(table(page.items, call))\(Pager.html(next: page.next, in: path, call))
            \(Panel.html("New token", call.form(to: ConsolePath.text(path), fields(call))))
            """)
    }

    private static func table(_ tokens: [TokenSummary], _ call: ConsoleCall) -> HTML {
        guard !tokens.isEmpty else { return EmptyState.html("No tokens", "A token is shown once, when it is made.") }
        let now = call.request.now
        return Table(
            caption: "API tokens", columns: ["Name", "Whose", "May", "Expires", "Last used", "Change"],
            rows: tokens.map { token in
                let isLive = token.revoked == nil && token.expires > now
                let end: HTML =
                    token.revoked.map { "\(Badge(.plain, "Revoked").html) \(Moment.html($0, now: now))" }
                    ?? Moment.html(token.expires, now: now)
                return [
                    "\(token.name)", "\(token.administrator)", "\(scope(of: token))", end,
                    token.lastUsed.map { Moment.html($0, now: now) } ?? "<span class=\"muted\">never</span>",
                    isLive && (token.administrator == call.session.name || call.may(.administer))
                        ? revocation(call, token) : "",
                ]
            }
        ).html
    }

    private static func scope(of token: TokenSummary) -> String {
        var words = [token.role.rawValue]
        if let apps = token.apps { words.append("apps \(apps.joined(separator: ", "))") }
        if let groups = token.groups { words.append("groups \(groups.joined(separator: ", "))") }
        if token.readOnly { words.append("only looks") }
        if token.administers { words.append("manages administrators") }
        return words.joined(separator: "; ")
    }

    private static func fields(_ call: ConsoleCall) -> HTML {
        let form = call.request.form
        let name = Field(
            "name", "Name", value: form["name"] ?? "", hint: "1 to 64 letters, digits, dots, underscores and hyphens.",
            isRequired: true)
        let valid = Field("valid", "Good for", value: form["valid"] ?? "2592000")
        let roles = roles(of: call.session)
        let role = Field("role", "Role", value: form["role"] ?? roles.first ?? "")
        let apps = Field(
            "apps", "Apps", value: form["apps"] ?? (call.session.apps ?? []).joined(separator: ", "),
            hint: "Of an owner of apps: bundle identifiers, with commas between.")
        let groups = Field(
            "groups", "Groups", value: form["groups"] ?? (call.session.groups ?? []).joined(separator: ", "),
            hint: "Of an owner of apps: names, with commas between.")
        let readOnly = Field("read-only", "It only looks", value: form["read-only"] ?? "")
        let administers = Field("administers", "It manages administrators", value: form["administers"] ?? "")
        let ownsApps = roles.contains(AdministratorRole.appOwner.rawValue)
        return """
            \(name.line)\(valid.choice(spans))\(role.choice(roles.map { ($0, $0) }))
            \(ownsApps ? "\(apps.line)\(groups.line)" : HTML.empty)\(readOnly.box)
            \(call.may(.administer) ? administers.box : nil)<button>Make a token</button>
            """
    }

    /// What a token of theirs may be; the API judges.
    private static func roles(of session: SessionDetail) -> [String] {
        let all: [AdministratorRole] = [.reader, .helpDesk, .appOwner, .auditor, .administrator]
        switch session.role {
        case .administrator: return all.map(\.rawValue)
        case .auditor: return [AdministratorRole.reader, .auditor].map(\.rawValue)
        default: return [session.role.rawValue]
        }
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let role = AdministratorRole(rawValue: form["role"] ?? "")
        let isLimited = role == .appOwner
        func names(_ field: String) -> [String]? {
            guard isLimited else { return nil }
            return (form[field] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
        let wish = TokenRequest(
            name: form["name"] ?? "", validSeconds: form["valid"].flatMap { Int($0) } ?? 0, role: role,
            apps: names("apps"), groups: names("groups"), readOnly: form["read-only"] != nil,
            administers: form["administers"] != nil)
        do {
            let answer = try await call.door.send("POST", "/tokens", wish)
            return shown(call, try AdminJSON.decode(TokenAnswer.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    /// The one time that a token is shown.
    private static func shown(_ call: ConsoleCall, _ answer: TokenAnswer) -> ConsoleAnswer {
        call.page(
            "The token \(answer.summary.name)", in: nil,
            trail: [Shell.Step("Your account", AccountPage.path), Shell.Step("API tokens", path)],
            """
            <p>It is shown only once, and is good until \(Moment.exact(answer.summary.expires)).</p>
            <section class="panel">\(Code.copied(answer.token, what: "the token"))</section>
            \(Panel.html("What it may do", "<p>\(scope(of: answer.summary))</p>"))
            <p>\(Link.html("To the tokens", path))</p>
            """)
    }

    private static func revocation(_ call: ConsoleCall, _ token: TokenSummary) -> HTML {
        call.form(
            to: ConsolePath.text(path + [token.id, "revoke"]),
            "<button class=\"danger\">Revoke<span class=\"unseen\"> the token \(token.name)</span></button>")
    }

    private static func revoke(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await call.door.send("DELETE", RequestPath.text(["tokens", call.parameter("id")]))
        return .seeOther(path, .removed)
    }
}
