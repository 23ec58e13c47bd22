import AdminMessages
import Foundation

/// One command to a device, and what it answered.
enum CommandPage {
    static let routes = [
        ConsoleRoute(.get, "/devices/{device}/commands/{uuid}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/devices/{device}/commands/{uuid}/remove", serve: remove),
    ]

    private static func path(_ call: ConsoleCall) -> [String] {
        DeviceCommandsPage.path(call) + [call.parameter("uuid")]
    }

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let live = try await LivePage.of(.device(call.parameter("device")), call)
        let device: DeviceDetail = try await call.door.get(RequestPath.text(["devices", call.parameter("device")]))
        let command: CommandDetail = try await call.door.get(RequestPath.text(path(call)))
        let now = call.request.now
        let facts = Facts.html([
            ("State", command.state.badge.html), ("Identifier", Code.copied(command.uuid, what: "the identifier")),
            ("Queued", Moment.html(command.queued, now: now)),
            ("Last", command.updated.map { Moment.html($0, now: now) }),
        ])
        return call.page(
            command.requestType, in: .devices, trail: DeviceCommandsPage.trail(device), status: refusal?.status ?? 200,
            live: live,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("How far it is", facts))
            \(Panel.html("What the device answered", answer(command)))
            \(Panel.html("Change", call.may(CommandKind.needs(command.requestType)) ? removal(command, call) : ""))
            """)
    }

    private static func answer(_ command: CommandDetail) -> HTML {
        let errors: [HTML] = command.errorChain.map { error in
            "<li>\(error.description ?? "The device gives no description.") <code>\(error.domain) \(error.code)</code></li>"
        }
        let list: HTML? = errors.isEmpty ? nil : "<ul class=\"list\">\(errors)</ul>"
        let text: HTML? = command.answer.map { "<pre tabindex=\"0\">\(pretty($0))</pre>" }
        let odd: HTML? = command.oddities.map(oddities)
        guard list != nil || text != nil || odd != nil else { return "<p>Nothing beside its state.</p>" }
        return "\(list)\(odd)\(text)"
    }

    private static func oddities(_ oddities: [CommandOddity]) -> HTML {
        let items: [HTML] = oddities.map { oddity in
            let place: HTML? = oddity.place.isEmpty ? nil : "<code>\(oddity.place)</code>: "
            return "<li>\(place)\(oddity.rule)</li>"
        }
        return """
            <p>The answer could be read only in part. It is kept as it came; these places are shown as they were read:</p>
            <ul class="list">\(items)</ul>
            """
    }

    private static func pretty(_ value: JSON) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func removal(_ command: CommandDetail, _ call: ConsoleCall) -> HTML {
        let word: String
        switch command.state {
        case .queued: word = "Take it back"
        case .acknowledged, .error, .commandFormatError, .cancelled, .retired: word = "Forget it and its answer"
        default: word = "Do not send it again"
        }
        let sent: HTML? =
            command.state == .sent || command.state == .notNow
            ? "<p>It was sent: the device may have carried it out, or may still. An answer that comes later is kept.</p>"
            : nil
        let button = call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            "\(shown(command, tag: nil).hidden)<button class=\"danger\">\(word)</button>")
        return "\(sent)\(button)"
    }

    /// What the button's words depend on.
    private static func shown(_ command: CommandDetail?, tag: String?) -> FormEdit {
        FormEdit([(name: "state", label: "State")], of: ["state": command?.state.rawValue ?? ""], tag: tag)
    }

    /// What the device did with it meanwhile, and what it answered, is seen before it is forgotten.
    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let place = RequestPath.text(path(call))
        do {
            try await call.door.remove(place, shownBy: call.request.form) {
                let present = try await call.door.present(place, as: CommandDetail.self)
                return shown(present?.value, tag: present?.entityTag)
            }
            return .seeOther(DeviceCommandsPage.path(call), .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }
}
