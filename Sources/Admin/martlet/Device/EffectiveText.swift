package import AdminMessages

/// What a device gets, and why, as people read it.
package struct EffectiveText: Sendable {
    private let effective: DeviceEffective

    package init(_ effective: DeviceEffective) {
        self.effective = effective
    }

    package func text(bold: Bool = false, within columns: Int? = nil) -> String {
        let apps = effective.apps.map { text(of: $0, bold, columns) }
        let settings = effective.settings.map { Self.text(of: $0, bold, columns) }
        let commanded = (effective.commanded ?? []).map { Self.text(of: $0) }
        let parts = [heading] + (apps.isEmpty ? ["No app is assigned."] : apps) + commanded + settings
        return parts.joined(separator: "\n\n")
    }

    private static func text(of app: EffectiveCommandedApp) -> String {
        var facts = Facts()
        facts.add("app", "\(app.identifier) (\(app.name)), by command")
        facts.add("  version", app.version)
        facts.add("  state", app.state)
        facts.add("  configuration", app.hasConfiguration ? "given by command" : "-")
        facts.add("  feedback", app.hasFeedback ? "waits on the device" : nil)
        for reason in app.reasons { facts.add("  reason", reason.description ?? reason.code) }
        return facts.text
    }

    private var heading: String {
        var facts = Facts()
        facts.add("device", effective.device)
        facts.add("name", effective.name)
        facts.add("person", effective.person)
        let names = effective.groups.map(\.name)
        facts.add(
            effective.hypothetical ? "if it were in" : "groups",
            names.isEmpty ? (effective.hypothetical ? "no group" : "-") : names.joined(separator: ", "))
        for group in effective.groups {
            guard let rule = group.rule else { continue }
            facts.add("rule of \(group.name)", rule)
            for one in group.conditions ?? [] {
                facts.add(
                    "  " + one.condition, (one.holds ? "yes" : "no") + (one.found.map { ": \($0)" } ?? ": not said"))
            }
        }
        return facts.text
    }

    private func text(of app: EffectiveApp, _ bold: Bool, _ columns: Int?) -> String {
        var facts = Facts()
        facts.add("app", "\(app.identifier) (\(app.name))" + (app.given ? "" : ", not given"))
        facts.add("  standing", app.standing?.rawValue)
        facts.add("  install", app.install)
        facts.add("  source", app.source.map { "\($0.origin) for \($0.platform)" } ?? (app.given ? "taken over" : nil))
        facts.add("  configuration", app.configuration.map(Self.text) ?? "-")
        if app.configuration != nil, let delivery = app.delivery.flatMap({ Delivery(rawValue: $0) }) {
            facts.add("  delivered", delivery.words)
            facts.add("  to know", delivery.advice)
        }
        for one in app.extensions { facts.add("  extension \(one.identifier)", Self.text(one.configuration)) }
        for secret in app.secrets { facts.add("  \(secret.kind.rawValue) \(secret.identifier)", Self.text(secret)) }
        for variable in app.variables { facts.add("  ${\(variable.name)}", text(of: variable)) }
        for reason in app.withheld { facts.add("  withheld", reason.description ?? reason.code) }
        var table = Table("  ASSIGNED TO", "PRIORITY", "CONFIGURATION", "ASSIGNED", "COUNTS", "WHY")
        for one in app.assignments {
            table.add(
                "  " + one.group, "\(one.priority)", one.configuration.map(Self.text), one.assigned.shown,
                one.counts ? "yes" : "no", one.why)
        }
        return facts.text + "\n" + table.text(bold: bold, within: columns)
    }

    private static func text(of setting: EffectiveSetting, _ bold: Bool, _ columns: Int?) -> String {
        var facts = Facts()
        let name = "\(setting.kind) \(setting.name), version \(setting.version)"
        facts.add("setting", name + (setting.given ? "" : ", not given"))
        facts.add("  holds", setting.summary)
        for reason in setting.withheld { facts.add("  withheld", reason.description ?? reason.code) }
        var table = Table("  ASSIGNED TO", "PRIORITY", "ASSIGNED")
        for one in setting.assignments { table.add("  " + one.group, "\(one.priority)", one.assigned.shown) }
        return facts.text + "\n" + table.text(bold: bold, within: columns)
    }

    private static func text(_ configuration: EffectiveConfiguration) -> String {
        configuration.name + (configuration.version.map { ", version \($0)" } ?? "")
    }

    private static func text(_ secret: EffectiveSecret) -> String {
        let place = secret.extension.map { ", for \($0)" } ?? ""
        let person = secret.person.map { ", a value of \($0)'s own" } ?? ""
        let owner = secret.own ? ", a value of this device's own" : person
        let lack = secret.lacksValue == true ? "; it \(SecretText.lack)" : ""
        let missing = secret.missing == true ? "; the app does not have this version" : ""
        return "the secret \(secret.secret) by \(secret.group)\(place)\(owner)\(lack)\(missing)"
    }

    /// The value, or that there is none, with where it would come from.
    private func text(of variable: EffectiveVariable) -> String {
        let origin =
            variable.from == "person"
            ? effective.person.map { "of \($0)" } ?? "the device has no person" : "from the device"
        let uses = variable.uses.joined(separator: ", ")
        return (variable.value.map { "\($0) (\(origin))" } ?? "no value (\(origin))") + "; in \(uses)"
    }
}
