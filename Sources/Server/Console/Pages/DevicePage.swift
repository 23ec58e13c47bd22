import AdminMessages
import Foundation

/// One device: what it should have, what it says it has, and why.
enum DevicePage {
    static let routes = [ConsoleRoute(.get, "/devices/{device}", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let identifier = call.parameter("device")
        let live = try await LivePage.of(.device(identifier), call)
        let device: DeviceDetail = try await call.door.get(RequestPath.text(["devices", identifier]))
        let commands: Page<CommandSummary> = try await call.door.get(
            RequestPath.text(["devices", identifier, "commands"]))
        var content: HTML = "<section class=\"panel\" data-part=\"Facts\">\(facts(device, call))</section>"
        content += DeviceActions.html(device, call)
        content += DeviceAttributesPage.panel(device, call)
        content += Panel.html("Apps", apps(device, call))
        if device.state == .enrolled {
            let effective: DeviceEffective = try await call.door.get(
                RequestPath.text(["devices", identifier, "effective"]))
            let other = Link.html("In other groups", ["devices", identifier, "effective"])
            content += Panel.html(
                "What it gets, and why", aside: other,
                "\(EffectiveList.html(effective))\(EffectiveSettings.html(effective.settings, call))")
        }
        content += try await FeedbackPart.ofDevice(device, call) ?? .empty
        content += Panel.html("Declarations", declarations(device))
        content += Panel.html("What happened", try await history(device, commands.items, call))
        if !device.facts.isEmpty { content += Panel.html("What the device says of itself", reported(device)) }
        return call.page(
            device.name ?? device.id, in: .devices, trail: [Shell.Step("Devices", ["devices"])],
            aside: device.badge.html, live: live, content)
    }

    private static func facts(_ device: DeviceDetail, _ call: ConsoleCall) -> HTML {
        let now = call.request.now
        let groups: [HTML] = device.groups.map { "<li>\(Link.ifThere($0, ["groups", $0]))</li>" }
        return Facts.html([
            ("Identifier", Code.copied(device.id, what: "the identifier")),
            ("What its state means", device.meaning.map { "\($0)" }),
            ("Groups", groups.isEmpty ? "none" : "<ul class=\"inline\">\(groups)</ul>"),
            ("Person", device.person.map { "\($0)" }), ("Ownership", "\(device.ownership.rawValue)"),
            ("Last seen", device.lastSeen.map { Moment.html($0, now: now) } ?? "never"),
            ("Enrolled", device.enrolled.map { Moment.html($0, now: now) }),
            ("Certificate", device.identity.map { certificate($0, now) }),
            ("Kept under", device.atRest.map { $0.keyHolder == "tpm" ? "a key in its chip" : "a key in a file" }),
        ])
    }

    private static func certificate(_ identity: DeviceIdentity, _ now: Date) -> HTML {
        let badge: Badge =
            switch identity.state {
            case .good: Badge(.good, "Good")
            case .renewing: Badge(.busy, "Being renewed")
            case .expired: Badge(.warn, "Ended; may be renewed")
            case .lapsed: Badge(.bad, "Ended for good")
            }
        return "\(badge.html) ends \(Moment.html(identity.expires, now: now))"
    }

    private static func apps(_ device: DeviceDetail, _ call: ConsoleCall) -> HTML {
        guard !device.apps.isEmpty else {
            return EmptyState.html(
                "The device has no managed app", "Give one to a group of the device, or send it a command.")
        }
        let items: [HTML] = device.apps.map { app in
            let configuration: HTML? = app.configurationName.map { name in
                let version = app.configurationVersion.map { ", version \($0)" } ?? ""
                return "<p class=\"muted\">Configuration \(name)\(version)</p>"
            }
            let refusals: HTML? = app.refusals.flatMap { $0.isEmpty ? nil : RefusalList.html($0, call) }
            let commanded: HTML? = app.isManagedByCommand ? "<p class=\"muted\">\(commandedWords(app))</p>" : nil
            // What the app publishes about a refusal says more than the protocol's reason.
            let reasons: [HTML] = app.reasons.filter { refusals == nil || $0.code != configurationRefused }.map(reason)
            let name = app.name ?? app.identifier
            // What is managed by command need not be an app that is known here.
            let title: HTML = app.isManagedByCommand ? "\(name)" : Link.html(name, ["apps", app.identifier])
            return """
                <li><div class="title"><h3>\(title)</h3>
                \(app.badge.html)</div><p class="muted"><code>\(app.identifier)</code> \
                \(app.version ?? "")\(doing(app))</p>
                \(configuration)\(commanded)\(refusals)\(reasons)</li>
                """
        }
        return "<ul class=\"list\">\(items)</ul>"
    }

    private static func commandedWords(_ app: DeviceApp) -> String {
        let configuration = app.hasConfiguration == true ? "with a configuration" : "without a configuration"
        let feedback = app.hasFeedback == true ? "; feedback waits on the device" : ""
        return "Managed by command, \(configuration)\(feedback)"
    }

    /// The protocol's words for the state of the app and of its update, without the plain “managed”.
    private static func doing(_ app: DeviceApp) -> String {
        let words = [app.state == "managed" ? nil : app.state, app.updateState.map { "update \($0)" }].compactMap { $0 }
        return words.isEmpty ? "" : " · " + words.joined(separator: ", ")
    }

    private static let configurationRefused = "Error.ConfigurationRefused"

    /// For a secret it also names the secret, and says why the device does not have it.
    private static func reason(_ reason: Reason) -> HTML {
        var words = [reason.description ?? "The device gives no description."]
        if let kind = reason.details?["Kind"]?.text, let identifier = reason.details?["Identifier"]?.text {
            let error = reason.details?["Error"]?.text.map { ": \($0)" } ?? ""
            words.append("It is the \(kind) “\(identifier)”\(error).")
        }
        return "<p>\(words.joined(separator: " ")) <code>\(reason.code)</code></p>"
    }

    private static func declarations(_ device: DeviceDetail) -> HTML {
        guard !device.declarations.isEmpty else {
            return EmptyState.html("The device has reported no declaration", "It does so when it first synchronizes.")
        }
        return Table(
            caption: "Declarations", columns: ["Declaration", "State", "Why"],
            rows: device.declarations.map { declaration in
                let secret = declaration.secret.map { "\($0.kind.rawValue) “\($0.identifier)” of \($0.app)" }
                let name: HTML = secret.map { "\($0)" } ?? Code.html(declaration.identifier)
                let state: Badge =
                    switch declaration.valid {
                    case "valid": Badge(.good, declaration.active ? "Active" : "Valid, not active")
                    case "invalid": Badge(.bad, "Invalid")
                    default: Badge(.busy, "Not judged yet")
                    }
                return [name, state.html, "\(declaration.reasons.map(reason))"]
            }
        ).html
    }

    /// Commands and, for those who may see it, what was done to the device, the newest first.
    private static func history(
        _ device: DeviceDetail, _ commands: [CommandSummary], _ call: ConsoleCall
    ) async throws -> HTML {
        var events: [(time: Date, what: HTML)] = commands.map { command in
            let tone: Badge.Tone =
                switch command.state {
                case .acknowledged: .good
                case .error, .commandFormatError: .bad
                case .cancelled, .retired: .plain
                default: .busy
                }
            return (
                command.updated ?? command.queued,
                "Command \(command.requestType) \(Badge(tone, command.state.rawValue).html)"
            )
        }
        if call.may(.audit) {
            let entries: Page<AuditEntry> = try await call.door.get(
                RequestPath.text(["audit"], query: [("subject", device.id), ("limit", "50")]))
            events += entries.items.map { ($0.time, "\(Code.html($0.action)) by \($0.actor)") }
        }
        if let enrolled = device.enrolled { events.append((enrolled, "Enrolled")) }
        let became: Page<DeviceHistoryEntry> = try await call.door.get(
            RequestPath.text(["devices", device.id, "history"], query: [("limit", "50")]))
        events += became.items.map { ($0.time, line(of: $0)) }
        // Of one second what came first in its list stays first.
        let sorted = events.enumerated().sorted { ($1.element.time, $0.offset) < ($0.element.time, $1.offset) }
        let items: [HTML] = sorted.prefix(100).map { _, event in
            "<li>\(Moment.exact(event.time)) · \(event.what)</li>"
        }
        return "<ol class=\"list\" reversed>\(items)</ol>"
    }

    private static func line(of entry: DeviceHistoryEntry) -> HTML {
        let app: HTML = entry.app.map { Link.ifThere($0, ["apps", $0]) } ?? "an app"
        let what: HTML =
            switch (entry.app, entry.configuration, entry.version) {
            case (let app?, let name?, let version?):
                Link.ifThere(
                    "\(name), version \(version)", ["apps", app, "configurations", name, "versions", "\(version)"])
            case (_, let name?, _): "\(name)"
            default: "its configuration"
            }
        return switch entry.kind {
        case "device.tell": "Notified of a change"
        case "device.fetch": "Fetched its declarations"
        case "device.hold": "Holds \(what) of \(app)"
        case "device.settle": "\(Badge(.good, "Settled").html) Holds everything that it gets"
        case "device.refuse": "\(Badge(.bad, "Refused").html) \(what) by \(app)"
        case "device.accept": "\(Badge(.good, "Taken").html) \(app) refuses nothing any more"
        case "device.replace": "A new enrollment took the place of its own"
        case "device.enroll-refuse":
            """
            \(Badge(.bad, "Refused").html) Another machine with this device’s identifier asked to enroll. If it is a clone, \
            give it a machine-id of its own. If it is this device, set up again, withdraw the device or make a code that \
            replaces it.
            """
        default: "\(Code.html(entry.kind))"
        }
    }

    private static func reported(_ device: DeviceDetail) -> HTML {
        Facts.html(device.facts.sorted { $0.key < $1.key }.map { name, value in (name, "\(value.text ?? "")") })
    }
}
