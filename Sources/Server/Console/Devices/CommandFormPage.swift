import AdminMessages
import InputBounds

/// A command of one kind to one device, as a form; what cannot be taken back is confirmed there.
enum CommandFormPage {
    static let routes = [
        ConsoleRoute(.get, "/devices/{device}/command", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/devices/{device}/command", serve: send),
    ]

    /// The field that says of which kind the command is.
    static let kind = "kind"
    /// Apart from what pages have beside the command.
    private static let prefix = "key."

    static func kind(of call: ConsoleCall) -> CommandKind? {
        CommandKind.named(call.request.form[kind] ?? call.request.query[kind] ?? "")
    }

    /// What the command is given, each by its field.
    static func fields(of kind: CommandKind, _ problems: [String: String], _ call: ConsoleCall) -> [HTML] {
        let isNew = call.request.form.fields.isEmpty
        return kind.fields.map { field in
            let typed = call.request.form[prefix + field.key] ?? (isNew ? field.usual : "")
            return field.html(named: prefix + field.key, typed: typed, problem: problems[field.key])
        }
    }

    /// The command that was typed, or what is wrong with it.
    static func request(of kind: CommandKind, _ call: ConsoleCall) -> Result<PropertyListValue, CommandRefusal> {
        kind.request(typed: { call.request.form[prefix + $0] ?? "" })
    }

    private static func page(
        _ call: ConsoleCall, problems: [String: String] = [:], isUnconfirmed: Bool = false, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let device: DeviceDetail = try await call.door.get(RequestPath.text(["devices", call.parameter("device")]))
        guard let kind = kind(of: call) else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        let content: HTML =
            call.may(kind.needs) && device.isServed
            ? form(kind, problems, isUnconfirmed, refusal, call)
            : "<p>Commands are sent to devices that are enrolled, by who may: to ask, restart or lock is for who helps devices, too.</p>"
        return call.page(
            kind.title, in: .devices, trail: DeviceCommandsPage.trail(device),
            status: refusal?.status ?? (problems.isEmpty && !isUnconfirmed ? 200 : 422),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Facts.html([
                ("Device", Link.html(device.name ?? device.id, ["devices", device.id])),
                ("Command", kind.requestType.isEmpty ? nil : Code.html(kind.requestType)),
            ]))
            <section class="panel"><p>\(kind.purpose)</p>\(content)</section>
            """)
    }

    private static func form(
        _ kind: CommandKind, _ problems: [String: String], _ isUnconfirmed: Bool, _ refusal: AdminRefused?,
        _ call: ConsoleCall
    ) -> HTML {
        let fields = Self.fields(of: kind, problems, call)
        let confirmation: HTML? = kind.consequence.map {
            "<p><strong>\($0)</strong></p>\(Confirmation.box("I know, and mean this device", isMissing: isUnconfirmed))"
        }
        let button: HTML =
            kind.consequence == nil ? "<button>Send it</button>" : "<button class=\"danger\">Send it</button>"
        return call.form(
            to: ConsolePath.text(["devices", call.parameter("device"), "command"]),
            """
            <input type="hidden" name="\(Self.kind)" value="\(kind.requestType)">\(fields)\
            \(consent(to: refusal))\(confirmation)\(button)
            """)
    }

    /// The box that forces a command whose content the server refused.
    static func consent(to refusal: AdminRefused?) -> HTML? {
        guard refusal?.problem.findings?.isEmpty == false else { return nil }
        return """
            <div class="option"><input type="checkbox" id="force" name="force" value="1">\
            <label for="force">Send it although the app refuses the configuration or values look like secrets</label>\
            </div>
            """
    }

    /// The query of a request for which this box is ticked.
    static func force(_ call: ConsoleCall) -> [(String, String)] {
        call.request.form["force"] == nil ? [] : [("force", "true")]
    }

    private static func send(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        guard let kind = kind(of: call) else { return ProblemPage.answer(ProblemPage.nothingHere, in: call) }
        let isUnconfirmed = kind.consequence != nil && !Confirmation.isGiven(in: call)
        switch request(of: kind, call) {
        case .failure(let refusal):
            return try await page(call, problems: refusal.problems, isUnconfirmed: isUnconfirmed)
        case .success where isUnconfirmed: return try await page(call, isUnconfirmed: true)
        case .success(let request):
            do {
                let answer = try await call.door.send(
                    "POST", RequestPath.text(DeviceCommandsPage.path(call), query: force(call)), bytes: request.xml(),
                    type: "application/xml")
                let queued = try AdminJSON.decode(CommandSummary.self, from: answer.body)
                guard queued.warnings?.isEmpty == false else {
                    return .seeOther(DeviceCommandsPage.path(call) + [queued.uuid], .queued)
                }
                return try await said(of: queued, kind, call)
            } catch let refusal as AdminRefused where [400, 409, 413, 422].contains(refusal.status) {
                return try await page(call, refusal: refusal)
            }
        }
    }

    /// What the server says of a command that is queued: only now, so it is read before anything else.
    private static func said(
        of command: CommandSummary, _ kind: CommandKind, _ call: ConsoleCall
    ) async throws -> ConsoleAnswer {
        let device: DeviceDetail = try await call.door.get(RequestPath.text(["devices", call.parameter("device")]))
        let items: [HTML] = (command.warnings ?? []).map { "<li>\(Badge(.warn, "Note").html) \($0)</li>" }
        let link = Link.html("Go on to the command", DeviceCommandsPage.path(call) + [command.uuid])
        return call.page(
            kind.title, in: .devices, trail: DeviceCommandsPage.trail(device), status: 200,
            """
            <section class="panel"><p>The command is queued. Look whether it is what you mean:</p>\
            <ul class="list">\(items)</ul><p>\(link)</p></section>
            """)
    }
}

extension CommandField {
    /// The field of the form; a PIN is never filled in again.
    func html(named name: String, typed: String, problem: String?) -> HTML {
        let isNeeded = [.text, .names, .profile].contains(shape)
        let field = Field(
            name, label, value: typed, hint: hint, problem: problem, isRequired: isNeeded,
            completion: shape == .digits ? "off" : nil)
        switch shape {
        case .text, .optional, .number: return field.line
        case .digits: return field.secret
        case .flag, .ticked: return field.box
        case .names: return field.area(rows: 6)
        case .object, .dictionary: return field.area(rows: 4)
        case .profile:
            return """
                <div class="field" data-file="field-\(name)" hidden><label for="file">File</label>\
                <input type="file" id="file"></div>\(field.area(rows: 10))
                """
        }
    }
}
