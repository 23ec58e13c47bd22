package import AdminMessages
import Foundation

/// A device as people read it: itself, its apps with the reasons of refusals, its declarations.
package struct DeviceText: Sendable {
    private let device: DeviceDetail

    package init(_ device: DeviceDetail) {
        self.device = device
    }

    package func text(bold: Bool = false, within columns: Int? = nil) -> String {
        [facts, apps(bold, columns), declarations(bold, columns)].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var facts: String {
        var facts = Facts()
        facts.add("device", device.id)
        facts.add("name", device.name)
        facts.add("state", device.state.rawValue)
        facts.add("health", device.health?.rawValue)
        facts.add("kind", device.kind.rawValue + (device.supervised ? ", supervised" : ""))
        facts.add("came by", device.arrival.map(Self.text))
        facts.add("owner", device.ownership.rawValue)
        facts.add("groups", device.groups.isEmpty ? "-" : device.groups.joined(separator: ", "))
        facts.add("person", device.person)
        for (key, value) in (device.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            facts.add("attributes.\(key)", value)
        }
        facts.add("enrolled", device.enrolled?.shown)
        facts.add("last seen", device.lastSeen?.shown ?? "never")
        facts.add("identity", device.identity.map(Self.text))
        facts.add("signed in", device.signIn.map(Self.text))
        if device.awaitsConfiguration == true {
            facts.add("setup", "waits until its apps and configurations are there")
        }
        facts.add("declarations", device.synchronised ? "synchronized" : "not yet synchronized")
        if let atRest = device.atRest {
            facts.add("at rest", atRest.keyHolder == "tpm" ? "key in the TPM" : "key in a file")
            facts.add("older copy", atRest.olderCopyNoticed.map { "put back; noticed \($0.shown)" })
            facts.add("damaged", Self.damage(atRest))
        }
        for (name, value) in device.facts.sorted(by: { $0.key < $1.key }) where value != .null {
            facts.add(name, Self.text(value))
        }
        return facts.text
    }

    private static func text(_ arrival: EnrollmentArrival) -> String {
        switch arrival {
        case .code: "an enrollment code"
        case .account: "a person's account"
        case .expected: "being expected"
        default: arrival.rawValue
        }
    }

    private static func damage(_ atRest: AtRest) -> String? {
        guard let noticed = atRest.damageNoticed else { return nil }
        let end = atRest.damageReplaced.map { "replaced by a synchronization \($0.shown)" } ?? "the one before serves"
        return "newest generation, noticed \(noticed.shown); \(end)"
    }

    private static func text(_ signIn: DeviceSignIn) -> String {
        signIn.needed ? "not any more: the person has to sign in again" : "since \(signIn.since.shown)"
    }

    private static func text(_ identity: DeviceIdentity) -> String {
        let moment = identity.moment?.shown ?? "-"
        return switch identity.state {
        case .good: "until \(identity.expires.shown), to be renewed at \(moment)"
        case .renewing: "until \(identity.expires.shown), told to renew since \(moment)"
        case .expired: "expired \(identity.expires.shown): may only fetch its renewal, until \(moment)"
        case .lapsed: "expired \(identity.expires.shown), must be enrolled anew"
        }
    }

    // MARK: Apps

    private func apps(_ bold: Bool, _ columns: Int?) -> String {
        guard !device.apps.isEmpty else { return "" }
        var table = Table("APP", "VERSION", "STATE", "CONFIGURATION", "CONFIG STATE", "STANDING")
        for app in device.apps {
            let configuration = Self.text(app.configurationName, app.configurationVersion)
            let state = app.updateState.map { "\(app.state ?? "-"), update \($0)" } ?? app.state
            let managed = app.isManagedByCommand ? "\(state ?? "-"), by command" : state
            let given = app.isManagedByCommand && app.hasConfiguration == true ? "by command" : nil
            table.add(
                app.identifier, app.version, managed, given ?? configuration, Self.verdict(app),
                app.standing?.rawValue)
            for one in app.extensions ?? [] {
                let its = Self.text(one.configurationName, one.configurationVersion)
                table.add("  " + one.identifier, nil, "extension", its, one.configState, nil)
            }
        }
        let refusals = device.apps.flatMap { app in app.reasons.map { Self.lines(of: $0, about: app) } }
        return ([table.text(bold: bold, within: columns)] + refusals).joined(separator: "\n")
    }

    /// What the app says of its configuration, or else how it came to it.
    private static func verdict(_ app: DeviceApp) -> String? {
        if app.configState == "unknown", let handOver = app.handOver { return handOver }
        return app.configState ?? delivered(app)
    }

    /// Of a configuration in its defaults dictionary an app says nothing: there is nothing to wait for.
    private static func delivered(_ app: DeviceApp) -> String? {
        app.state == "managed" && app.delivery == Delivery.defaults.rawValue && app.configurationName != nil
            ? "delivered" : nil
    }

    private static func text(_ configuration: String?, _ version: Int?) -> String? {
        configuration.map { $0 + (version.map { ", version \($0)" } ?? "") }
    }

    /// A reason below the table.
    ///
    /// The app's own code, message and key path come first: they say what to put right.
    private static func lines(of reason: Reason, about app: DeviceApp) -> String {
        var facts = Facts()
        let explained = app.refusals?.first {
            reason.code == Self.configurationRefused && $0.extension == reason.details?["Extension"]?.text
        }
        let isRefusal = reason.details?["Code"] != nil || reason.details?["Message"] != nil
        let isServers = reason.code.hasPrefix("Server.")
        facts.add("  " + (isRefusal ? "refused by" : isServers ? "withheld from" : "reason at"), app.identifier)
        facts.add("    code", reason.details?["Code"].map(text))
        facts.add("    message", reason.details?["Message"].map(text))
        if let keyPath = reason.details?["KeyPath"].map(text) {
            let supplied = reason.details?["KeyPathSupplied"] == .boolean(true)
            facts.add("    key path", keyPath + (supplied ? " (where decoding stopped)" : ""))
        }
        if let explained { RefusalText.add(explained, to: &facts, indent: "    ") }
        facts.add("    reason", reason.code + (reason.description.map { ": \($0)" } ?? ""))
        if case .object(let details) = reason.details {
            let known: Set = ["Code", "Message", "KeyPath", "KeyPathSupplied"]
            for (name, value) in details.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
                facts.add("    \(name)", text(value))
            }
        }
        return "\n" + facts.text
    }

    private static let configurationRefused = "Error.ConfigurationRefused"

    // MARK: Declarations

    private func declarations(_ bold: Bool, _ columns: Int?) -> String {
        guard !device.declarations.isEmpty else { return "" }
        var table = Table("DECLARATION", "ACTIVE", "VALID", "REASONS")
        for declaration in device.declarations {
            table.add(
                declaration.secret.map(Self.text) ?? declaration.identifier, declaration.active ? "yes" : "no",
                declaration.valid,
                declaration.reasons.map { reason in
                    reason.code + (reason.description.map { " (\($0))" } ?? "")
                }.joined(separator: "; "))
        }
        return table.text(bold: bold, within: columns)
    }

    /// A secret as people call it, in place of its declaration's identifier, which says nothing to them.
    private static func text(_ secret: DeclaredSecret) -> String {
        "the \(secret.kind.rawValue) \(secret.identifier) of \(secret.extension ?? secret.app)"
    }

    /// A value on one line: texts as they are, lists of them with commas, everything else as JSON.
    package static func text(_ value: JSON) -> String {
        if let text = value.text { return text }
        if case .array(let values) = value, !values.isEmpty {
            let texts = values.compactMap(\.text)
            // A list in which a text has a comma itself would look like a longer one.
            if texts.count == values.count, !texts.contains(where: { $0.contains(",") }) {
                return texts.joined(separator: ", ")
            }
        }
        return (try? AdminJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "-"
    }
}
