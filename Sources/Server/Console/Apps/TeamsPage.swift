import AdminMessages
import Foundation

/// The teams whose packages the fleet trusts.
enum TeamsPage {
    static let routes = [
        ConsoleRoute(.get, "/teams", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/teams", serve: add),
        ConsoleRoute(.post, "/teams/{fingerprint}/remove", serve: remove),
    ]

    private static func list(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, problem: String? = nil
    ) async throws -> ConsoleAnswer {
        let teams: Page<Team> = try await call.door.get(RequestPath.text(["teams"]))
        let mayChange = call.may(.manage)
        let now = call.request.now
        let rows: [[HTML]] = teams.items.map { team in
            let isOver = team.expires < now
            return [
                "\(team.name ?? "")", team.team.map(Code.html) ?? "<span class=\"muted\">every team</span>",
                "\(team.authority ? "an authority" : "the team itself")",
                "\(isOver ? Badge(.bad, "Ended").html : HTML.empty) \(Moment.html(team.expires, now: now))",
                Code.html(team.fingerprint), mayChange ? removal(call, team) : "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No team is trusted", "Devices install no package before its team is.")
            : Table(
                caption: "Trusted teams", columns: ["Name", "Team", "Is", "Ends", "Fingerprint", "Change"], rows: rows
            ).html
        let certificate = Field(
            "certificate", "Certificate", value: call.request.form["certificate"] ?? "",
            hint: "In PEM, as martlet app sign had it made or as the developer publishes it.", problem: problem,
            isRequired: true)
        let form: HTML? =
            mayChange
            ? Panel.html(
                "Trust another",
                call.form(
                    to: ConsolePath.text(["teams"]),
                    """
                    <div class="field" data-file="field-certificate" hidden><label for="file">File</label>\
                    <input type="file" id="file"></div>
                    \(certificate.area(rows: 8))<button>Trust it</button>
                    """)) : nil
        return call.page(
            "Trusted teams", in: .apps, trail: [Shell.Step("Apps", ["apps"])],
            status: problem == nil ? refusal?.status ?? 200 : 422,
            "\(refusal.map { ProblemPage.alert($0.problem) })\(table)\(form)")
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        guard let der = certificate(in: call.request.form["certificate"] ?? "") else {
            return try await list(call, problem: "It is one certificate in PEM, from BEGIN to END CERTIFICATE.")
        }
        do {
            try await call.door.send("POST", "/teams", TeamRequest(certificate: der))
            return .seeOther(["teams"], .added)
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    /// What stands between the lines of PEM, as the API takes it; nothing where there is not exactly one.
    static func certificate(in text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let begins = lines.indices.filter { lines[$0] == "-----BEGIN CERTIFICATE-----" }
        let ends = lines.indices.filter { lines[$0] == "-----END CERTIFICATE-----" }
        guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else { return nil }
        let body = lines[(begins[0] + 1)..<ends[0]].joined()
        return body.isEmpty || Data(base64Encoded: body) == nil ? nil : body
    }

    private static func removal(_ call: ConsoleCall, _ team: Team) -> HTML {
        call.form(
            to: ConsolePath.text(["teams", team.fingerprint, "remove"]),
            "<button class=\"danger\">Trust no longer<span class=\"unseen\">: \(team.name ?? team.fingerprint)</span></button>"
        )
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            try await call.door.send("DELETE", RequestPath.text(["teams", call.parameter("fingerprint")]))
            return .seeOther(["teams"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 409 {
            return try await list(call, refusal: refusal)
        }
    }
}
