package import AdminMessages
import Foundation

/// Settings as people read them.
package enum SettingText {
    /// What is known of a setting, and below it what it holds.
    package static func shown(_ setting: Setting, groups: [String]) -> String {
        var facts = Facts()
        facts.add("kind", setting.kind)
        facts.add("name", setting.name)
        facts.add("version", "\(setting.version)")
        facts.add("holds", setting.summary)
        facts.add("changed", setting.changed.shown)
        facts.add("by", setting.author)
        for warning in setting.warnings ?? [] { facts.add("warning", warning) }
        facts.add("groups", groups.isEmpty ? "-" : groups.joined(separator: ", "))
        return facts.text + (setting.payload.map { "\n\n" + payload($0) } ?? "")
    }

    /// What came of setting one.
    package static func made(_ setting: Setting, isDryRun: Bool) -> String {
        let name = "\(Printable.line(setting.kind)) \(Printable.line(setting.name))"
        let holds = "\(name) holds \(Printable.line(setting.summary))"
        if setting.unchanged == true { return "Version \(setting.version) of \(holds), as before: nothing changes." }
        return isDryRun
            ? "Version \(setting.version) of \(name) would hold \(Printable.line(setting.summary)). Nothing was set."
            : "Version \(setting.version) of \(holds)."
    }

    /// A payload that is one text as that text, every other one as JSON.
    private static func payload(_ payload: JSON) -> String {
        let text: String
        if case .object(let members) = payload, members.count == 1, let only = members.values.first?.text {
            text = only
        } else {
            text = (try? AdminJSON.encodePretty(payload)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        return text.split(whereSeparator: \.isNewline).map { Printable.line(String($0)) }.joined(separator: "\n")
    }
}
