import AdminMessages

/// The commands of one device: what was sent to it and what came of it, and what may be sent.
enum DeviceCommandsPage {
    static let routes =
        [ConsoleRoute(.get, "/devices/{device}/commands", serve: show)] + CommandFormPage.routes + CommandPage.routes

    static func path(_ call: ConsoleCall) -> [String] { ["devices", call.parameter("device"), "commands"] }

    static func trail(_ device: DeviceDetail) -> [Shell.Step] {
        DeviceActions.trail(device) + [Shell.Step("Commands", ["devices", device.id, "commands"])]
    }

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let live = try await LivePage.of(.device(call.parameter("device")), call)
        let device: DeviceDetail = try await call.door.get(RequestPath.text(["devices", call.parameter("device")]))
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<CommandSummary> = try await call.door.get(RequestPath.text(path(call), query: query))
        let sendable = device.isServed ? CommandKind.all.filter { call.may($0.needs) } : []
        let kinds: HTML? = sendable.isEmpty ? nil : Panel.html("Send a command", choice(of: sendable, device))
        return call.page(
            "Commands to \(device.name ?? device.id)", in: .devices, trail: DeviceActions.trail(device), live: live,
            """
            \(Panel.html("What was sent", table(page.items, call)))
            \(Pager.html(next: page.next, in: path(call), call))\(kinds)
            """)
    }

    private static func table(_ commands: [CommandSummary], _ call: ConsoleCall) -> HTML {
        guard !commands.isEmpty else {
            return EmptyState.html("No command yet", "The device gets its apps and configurations without commands.")
        }
        let now = call.request.now
        return Table(
            caption: "Commands, the oldest first", columns: ["Command", "State", "Queued", "Last"],
            rows: commands.map { command in
                [
                    Link.html(command.requestType, path(call) + [command.uuid]), command.state.badge.html,
                    Moment.html(command.queued, now: now), command.updated.map { Moment.html($0, now: now) } ?? "",
                ]
            }
        ).html
    }

    private static func choice(of kinds: [CommandKind], _ device: DeviceDetail) -> HTML {
        let items: [HTML] = kinds.map { kind in
            let link = Link.html(
                kind.title, ["devices", device.id, "command"], query: [(CommandFormPage.kind, kind.requestType)])
            return "<li>\(link) <span class=\"muted\">\(kind.purpose)</span></li>"
        }
        return "<ul class=\"list\">\(items)</ul>"
    }
}

extension CommandState {
    var badge: Badge {
        switch self {
        case .acknowledged: Badge(.good, "Done")
        case .error: Badge(.bad, "Refused by the device")
        case .commandFormatError: Badge(.bad, "Not understood by the device")
        case .cancelled: Badge(.plain, "Taken back")
        case .retired: Badge(.plain, "Not sent again")
        case .queued: Badge(.busy, "Waiting")
        case .sent: Badge(.busy, "Sent, not answered")
        case .notNow: Badge(.busy, "Put off by the device")
        default: Badge(.plain, rawValue)
        }
    }
}
