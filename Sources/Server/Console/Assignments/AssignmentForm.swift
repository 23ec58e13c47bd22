import AdminMessages
import Foundation

/// The form of an assignment.
enum AssignmentForm {
    static let labels = [
        (name: "configuration", label: "Configuration"), (name: "delivery", label: "Delivery"),
        (name: "install", label: "Install"),
        (name: "priority", label: "Priority"), (name: "trust", label: "Trust"),
        (name: "extensions", label: "Extensions"),
    ]

    static func fields(_ edit: FormEdit, of app: String, _ call: ConsoleCall) async throws -> HTML {
        let configurations: Page<ConfigurationSummary> = try await call.door.get(
            RequestPath.text(["apps", app, "configurations"], query: [("limit", "500")]))
        let configuration = Field("configuration", "Configuration", value: edit["configuration"])
        let delivery = Field(
            "delivery", "Delivery", value: edit.value("delivery") ?? Delivery.framework.rawValue,
            hint: "A defaults dictionary is readable while the device is locked: it is no place for secrets.")
        let install = Field("install", "Install", value: edit["install"])
        let priority = Field(
            "priority", "Priority", value: edit.value("priority") ?? "0",
            hint: "Where several groups of a device assign the app, the highest counts.")
        let trust = Field(
            "trust", "Trust", value: edit.value("trust") ?? "launched",
            hint: "How far a device must trust the app before it gives it a secret.")
        let extensions = Field(
            "extensions", "Extensions", value: edit["extensions"],
            hint: "Each extension with the configuration that it alone gets, in a line: com.example.app.tunnel=tunnel")
        return """
            \(edit.hidden)\(configuration.choice([("", "None")] + configurations.items.map { ($0.name, $0.name) }))
            \(delivery.choice(Delivery.allCases.map { ($0.rawValue, $0.title) }))
            \(install.choice([("", "As its source says"), ("required", "Required"), ("optional", "Optional")]))
            \(priority.line)\(trust.choice(["launched", "verified", "shared"].map { ($0, $0) }))
            \(extensions.area(rows: 2))
            """
    }

    static func values(_ one: Assignment) -> [String: String] {
        [
            "configuration": one.configuration ?? "", "delivery": one.delivery ?? Delivery.framework.rawValue,
            "install": one.install ?? "",
            "priority": "\(one.priority ?? 0)", "trust": one.lowestTrust ?? "launched",
            "extensions": (one.extensions ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                .joined(separator: "\n"),
        ]
    }

    /// The whole of a new one.
    static func request(_ edit: FormEdit) -> AssignmentRequest {
        let extensions = extensions(edit["extensions"])
        return AssignmentRequest(
            configuration: edit.value("configuration"), extensions: extensions.isEmpty ? nil : extensions,
            lowestTrust: edit.value("trust"), install: edit.value("install"),
            priority: edit.value("priority").flatMap { Int($0) }, delivery: edit.value("delivery"))
    }

    /// What a person changed of one that is there: what the form does not show, and what they left as it was, stays.
    static func patch(_ edit: FormEdit) -> AssignmentPatch {
        func text(_ name: String) -> Patched<String> {
            Patched(from: edit.valueBefore(name), to: edit.value(name))
        }
        let before = extensions(edit.before["extensions"] ?? "")
        let now = extensions(edit["extensions"])
        var named = now.filter { before[$0.key] != $0.value }.mapValues { Patched.becomes($0) }
        for bundle in before.keys where now[bundle] == nil { named[bundle] = .goes }
        return AssignmentPatch(
            configuration: text("configuration"), extensions: named.isEmpty ? .stays : .becomes(named),
            lowestTrust: text("trust"), install: text("install"),
            priority: Patched(
                from: edit.valueBefore("priority").flatMap { Int($0) }, to: edit.value("priority").flatMap { Int($0) }),
            delivery: text("delivery"))
    }

    /// A line that names no configuration asks for one without a name, which there is not: the API says so.
    private static func extensions(_ text: String) -> [String: String] {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }.filter { $0 != [""] }
        return Dictionary(lines.map { ($0[0], $0.count == 2 ? $0[1] : "") }) { _, last in last }
    }
}
