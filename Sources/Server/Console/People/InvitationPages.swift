import AdminMessages
import Foundation

/// Invitations to enroll a device of one's own: made, shown once, listed, ended.
enum InvitationPages {
    static let routes = [
        ConsoleRoute(.get, "/invitations", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/people/{person}/invitation", serve: invite),
        ConsoleRoute(.post, "/people/{person}/invitation/remove", serve: remove),
    ]

    private static let spans = [("86400", "a day"), ("604800", "a week"), ("2592000", "30 days")]

    /// What a change of an invitation is held to.
    private static func shown(_ one: InvitationSummary?, tag: String?) -> FormEdit {
        func text(_ moment: Date?) -> String { moment.map { AdminJSON.text(of: $0) } ?? "" }
        return FormEdit(
            [(name: "account", label: "Account"), (name: "made", label: "Made"), (name: "expires", label: "Expires")],
            of: ["account": one?.account ?? "", "made": text(one?.created), "expires": text(one?.expires)], tag: tag)
    }

    private static func place(of person: String) -> String { RequestPath.text(["people", person, "invitation"]) }

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<InvitationSummary> = try await call.door.get(RequestPath.text(["invitations"], query: query))
        let now = call.request.now
        let rows: [[HTML]] = page.items.map { one in
            [
                Link.html(one.person, ["people", one.person]), "\(one.account)",
                Link.html(one.group, ["groups", one.group]),
                one.expires > now
                    ? Moment.html(one.expires, now: now)
                    : "\(Badge(.plain, "Over").html) \(Moment.html(one.expires, now: now))",
                call.may(.help) ? removal(one, call) : "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html(
                "Nobody is invited", "A person is invited on their own page, and signs in on their device.")
            : Table(
                caption: "Invitations", columns: ["Person", "Account", "Group", "Expires", "Change"], rows: rows
            ).html
        return call.page(
            "Invitations", in: .people, trail: PeoplePages.trail, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(table)\(Pager.html(next: page.next, in: ["invitations"], call))
            """)
    }

    /// Invites one person; it stands on their page.
    static func form(of person: String, _ call: ConsoleCall) async throws -> HTML {
        let present = try await call.door.present(place(of: person), as: InvitationSummary.self)
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let may = groups.items.filter { $0.rule == nil && call.may(.help, group: $0.name) }
        guard !may.isEmpty else { return "<p>First create a group: \(Link.html("Groups", ["groups"])).</p>" }
        let form = call.request.form
        let group = Field("group", "Group", value: form["group"] ?? "", hint: "Which the device joins.")
        let account = Field(
            "account", "Account", value: form["account"] ?? "",
            hint: "By which they sign in; if empty the principal name, the email or the user name.")
        let span = Field("valid", "Good for", value: form["valid"] ?? "604800")
        return """
            <p>They enroll one device of their own with a password that is shown once.</p>
            \(present.map { earlier($0.value) })
            \(call.form(
                to: ConsolePath.text(["people", person, "invitation"]),
                """
                \(FormEdit([], of: [:], tag: present?.entityTag).hidden)
                \(group.choice(may.map { ($0.name, $0.name) }))\(account.line)\(span.choice(spans))
                <button class="plain">Invite</button>
                """ as HTML))
            """
    }

    private static func earlier(_ one: InvitationSummary) -> HTML {
        """
        <p>They are invited as \(one.account) until \(Moment.exact(one.expires)). Inviting them again ends that \
        invitation, whose password somebody may have been told.</p>
        """
    }

    /// An invitation that somebody made meanwhile does not end unseen.
    private static func invite(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let wish = InvitationRequest(
            group: form["group"] ?? "", account: form["account"].flatMap { $0.isEmpty ? nil : $0 },
            validSeconds: form["valid"].flatMap { Int($0) })
        let person = call.parameter("person")
        do {
            let answer = try await call.door.send("PUT", place(of: person), wish, of: FormEdit([], form))
            return shown(call, try AdminJSON.decode(InvitationAnswer.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            let fields = try await Self.form(of: person, call)
            return call.page(
                "Invite \(person)", in: .people, trail: PeoplePages.trail + [Shell.Step(person, ["people", person])],
                status: refusal.status, "\(ProblemPage.alert(refusal.problem))\(fields)")
        }
    }

    /// The one time that the password is shown.
    private static func shown(_ call: ConsoleCall, _ answer: InvitationAnswer) -> ConsoleAnswer {
        call.page(
            "An invitation for \(answer.person)", in: .people,
            trail: PeoplePages.trail + [Shell.Step(answer.person, ["people", answer.person])],
            """
            <p>It is shown only once, and lets them enroll one device until \(Moment.exact(answer.expires)).</p>
            \(Facts.html([
                ("Account", Code.copied(answer.account, what: "the account")),
                ("Password", Code.copied(answer.password, what: "the password")),
                ("Group", Link.html(answer.group, ["groups", answer.group])),
            ]))
            <p>\(Link.html("To the invitations", ["invitations"]))</p>
            """)
    }

    private static func removal(_ one: InvitationSummary, _ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(["people", one.person, "invitation", "remove"]),
            """
            \(shown(one, tag: nil).hidden)\
            <button class="danger">End<span class="unseen"> the invitation of \(one.person)</span></button>
            """)
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let place = place(of: call.parameter("person"))
        do {
            try await call.door.remove(place, shownBy: call.request.form) {
                let present = try await call.door.present(place, as: InvitationSummary.self)
                return shown(present?.value, tag: present?.entityTag)
            }
            return .seeOther(["invitations"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await list(call, refusal: refusal)
        }
    }
}
