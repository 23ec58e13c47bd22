import AdminMessages
import InputBounds

/// A command for every device of a group, as a form: a job queues it.
enum GroupCommandPage {
    static let routes = [
        ConsoleRoute(.get, "/groups/{group}/command", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/groups/{group}/command", serve: send),
    ]

    private static let perSecond = "perSecond"

    private static func path(_ group: String) -> [String] { ["groups", group, "command"] }

    private static func sendable(_ call: ConsoleCall) -> [CommandKind] {
        CommandKind.all.filter { call.may($0.needs) }
    }

    /// What leads here from the group's page.
    static func link(_ group: Group, _ call: ConsoleCall) -> HTML? {
        sendable(call).isEmpty ? nil : "<p>\(Link.html("Send a command to all of them", path(group.name)))</p>"
    }

    private static func page(
        _ call: ConsoleCall, problems: [String: String] = [:], isUnconfirmed: Bool = false, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let group: Group = try await call.door.get(RequestPath.text(["groups", call.parameter("group")]))
        // Whatever else there is has an empty name: what names no kind at all is to choose one.
        let isNamed =
            call.request.form[CommandFormPage.kind] != nil || call.request.query[CommandFormPage.kind] != nil
        let kind = isNamed ? CommandFormPage.kind(of: call) : nil
        let content: HTML
        if let kind, call.may(kind.needs) {
            content = "<p>\(kind.purpose)</p>\(form(kind, group, problems, isUnconfirmed, refusal, call))"
        } else {
            content = choice(group, call)
        }
        return call.page(
            kind?.title ?? "A command for \(group.name)", in: .groups,
            trail: [Shell.Step("Groups", ["groups"]), Shell.Step(group.name, ["groups", group.name])],
            status: refusal?.status ?? (problems.isEmpty && !isUnconfirmed ? 200 : 422),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Facts.html([
                ("Group", Link.html(group.name, ["groups", group.name])),
                ("Devices", "\(group.deviceCount ?? 0)"),
                ("Command", kind.flatMap { $0.requestType.isEmpty ? nil : Code.html($0.requestType) }),
            ]))
            <section class="panel">\(content)</section>
            """)
    }

    private static func choice(_ group: Group, _ call: ConsoleCall) -> HTML {
        let items: [HTML] = sendable(call).map { kind in
            let link = Link.html(
                kind.title, path(group.name), query: [(CommandFormPage.kind, kind.requestType)])
            return "<li>\(link) <span class=\"muted\">\(kind.purpose)</span></li>"
        }
        guard !items.isEmpty else { return "<p>Commands are sent by who helps devices or manages them.</p>" }
        return "<ul class=\"list\">\(items)</ul>"
    }

    private static func form(
        _ kind: CommandKind, _ group: Group, _ problems: [String: String], _ isUnconfirmed: Bool,
        _ refusal: AdminRefused?, _ call: ConsoleCall
    ) -> HTML {
        let fields = CommandFormPage.fields(of: kind, problems, call)
        let pace = Field(
            perSecond, "Devices a second", value: call.request.form[perSecond] ?? "50",
            hint: "A job queues the command for at most so many, 1 to 1000."
        ).line
        let confirmation: HTML? = kind.consequence.map {
            """
            <p><strong>\($0)</strong></p>\
            \(Confirmation.box("I know, and mean every device of this group", isMissing: isUnconfirmed))
            """
        }
        let button: HTML =
            kind.consequence == nil ? "<button>Send it</button>" : "<button class=\"danger\">Send it</button>"
        return call.form(
            to: ConsolePath.text(path(group.name)),
            """
            <input type="hidden" name="\(CommandFormPage.kind)" value="\(kind.requestType)">\
            \(fields)\(pace)\(CommandFormPage.consent(to: refusal))\(confirmation)\(button)
            """)
    }

    private static func send(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        guard let kind = CommandFormPage.kind(of: call) else {
            return ProblemPage.answer(ProblemPage.nothingHere, in: call)
        }
        let isUnconfirmed = kind.consequence != nil && !Confirmation.isGiven(in: call)
        switch CommandFormPage.request(of: kind, call) {
        case .failure(let refusal):
            return try await page(call, problems: refusal.problems, isUnconfirmed: isUnconfirmed)
        case .success where isUnconfirmed: return try await page(call, isUnconfirmed: true)
        case .success(let request):
            do {
                let answer = try await call.door.send(
                    "POST",
                    RequestPath.text(
                        ["groups", call.parameter("group"), "commands"],
                        query: pace(call) + CommandFormPage.force(call)),
                    bytes: request.xml(), type: "application/xml")
                return .seeOther(["jobs", try AdminJSON.decode(Job.self, from: answer.body).id], .begun)
            } catch let refusal as AdminRefused where [400, 409, 413, 422].contains(refusal.status) {
                return try await page(call, refusal: refusal)
            }
        }
    }

    private static func pace(_ call: ConsoleCall) -> [(String, String)] {
        let typed = (call.request.form[perSecond] ?? "").filter { !$0.isWhitespace }
        return typed.isEmpty ? [] : [(perSecond, typed)]
    }
}
