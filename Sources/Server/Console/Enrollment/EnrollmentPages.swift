import AdminMessages
import Foundation

/// Enrollment codes: made, shown once with a picture and a command, listed, revoked.
enum EnrollmentPages {
    static let routes = [
        ConsoleRoute(.get, "/enrollment", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/enrollment", serve: create),
        ConsoleRoute(.post, "/enrollment/{id}/revoke", serve: revoke),
    ]

    private static let spans = [("3600", "an hour"), ("86400", "a day"), ("604800", "a week")]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<EnrollmentCodeSummary> = try await call.door.get(
            RequestPath.text(["enrollment-codes"], query: query))
        let form = call.may(.help) ? Panel.html("New code", try await fields(call)) : nil
        return call.page(
            "Enrollment", in: .enrollment, aside: Link.html("Expected devices", ExpectedDevicesPage.path),
            status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(form)
            \(table(page.items, call))\(Pager.html(next: page.next, in: ["enrollment"], call))
            """)
    }

    private static func fields(_ call: ConsoleCall) async throws -> HTML {
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let may = groups.items.filter { $0.rule == nil && call.may(.help, group: $0.name) }
        guard !may.isEmpty else { return "<p>First create a group: \(Link.html("Groups", ["groups"])).</p>" }
        let form = call.request.form
        let group = Field(
            "group", "Group", value: form["group"] ?? call.query("group") ?? "", hint: "Which the device joins.")
        let span = Field("valid", "Good for", value: form["valid"] ?? "3600")
        let replaces = Field(
            "replaces", "Replaces", value: form["replaces"] ?? call.query("replaces") ?? "",
            hint:
                "The identifier of an enrolled device. Only it can use the code, and its present enrollment ends then.")
        let ownership = Field("ownership", "Whose device", value: form["ownership"] ?? Ownership.organization.rawValue)
        return call.form(
            to: ConsolePath.text(["enrollment"]),
            """
            \(group.choice(may.map { ($0.name, $0.name) }))\(span.choice(spans))
            \(ownership.choice([
                (Ownership.organization.rawValue, "The organization’s"), (Ownership.personal.rawValue, "Its user’s"),
            ]))
            <div class="option"><input type="checkbox" id="supervised" name="supervised" value="1">\
            <label for="supervised">Supervised</label></div>\(call.may(.manage) ? replaces.line : nil)<button>Create a code</button>
            """)
    }

    private static func table(_ codes: [EnrollmentCodeSummary], _ call: ConsoleCall) -> HTML {
        guard !codes.isEmpty else {
            return EmptyState.html("No codes", "A code lets one device enroll; it is shown once, when it is made.")
        }
        return Table(
            caption: "Codes", columns: ["Group", "State", "Expires", "Device", "Change"],
            rows: codes.map { code in
                [
                    Link.html(code.group, ["groups", code.group]), "\(code.state.rawValue)",
                    Moment.html(code.expires, now: call.request.now),
                    """
                    \(code.ownership.rawValue)\(code.supervised ? ", supervised" : "")\
                    \(code.replaces.map { ", replaces \($0)" } ?? "")
                    """,
                    code.state == .open && call.may(.help, group: code.group) ? revocation(call, code) : "",
                ]
            }
        ).html
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let wish = EnrollmentCodeRequest(
            group: form["group"] ?? "", validSeconds: form["valid"].flatMap { Int($0) },
            ownership: form["ownership"].map(Ownership.init(rawValue:)), supervised: form["supervised"] != nil,
            replaces: form["replaces"].flatMap { $0.isEmpty ? nil : $0 })
        do {
            let answer = try await call.door.send("POST", "/enrollment-codes", wish)
            return shown(call, try AdminJSON.decode(EnrollmentCodeAnswer.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 403, 404, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    /// The one time that a code is shown.
    private static func shown(_ call: ConsoleCall, _ answer: EnrollmentCodeAnswer) -> ConsoleAnswer {
        var address = URLComponents(string: answer.enrollmentURL)
        address?.path = ""
        address?.query = nil
        let fingerprint = answer.authorityFingerprint.map { " --ca-fingerprint \($0)" } ?? ""
        let command = "martlet-agent enroll --url \(address?.string ?? "")\(fingerprint)"
        let picture = QRCode(answer.enrollmentURL)?.svg(named: "QR code of the address \(answer.enrollmentURL)")
        return call.page(
            "A code for \(answer.group)", in: .enrollment, trail: [Shell.Step("Enrollment", ["enrollment"])],
            """
            <p>It is shown only once, and lets one device enroll until \(Moment.exact(answer.expires)).</p>
            \(Panel.html("On a Linux device", """
                <p>Run this as root, and give it the code below when it asks:</p>
                \(Code.copied(command, what: "the command"))
                """ as HTML))
            \(Panel.html("On an iPhone, an iPad or a Mac", """
                <p>Open this address there, or scan the picture:</p>
                \(Code.copied(answer.enrollmentURL, what: "the address"))\(picture)
                """ as HTML))
            \(Facts.html([("Code", Code.copied(answer.code, what: "the code"))]))
            <p>\(Link.html("To the codes", ["enrollment"]))</p>
            """)
    }

    private static func revocation(_ call: ConsoleCall, _ code: EnrollmentCodeSummary) -> HTML {
        call.form(
            to: ConsolePath.text(["enrollment", code.id, "revoke"]),
            "<button class=\"danger\">Revoke<span class=\"unseen\"> the code for \(code.group)</span></button>")
    }

    private static func revoke(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        try await call.door.send("DELETE", RequestPath.text(["enrollment-codes", call.parameter("id")]))
        return .seeOther(["enrollment"], .removed)
    }
}
