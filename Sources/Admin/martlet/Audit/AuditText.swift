package import AdminMessages
import Foundation

/// The audit log as people read it.
package enum AuditText {
    package static func table(_ entries: [AuditEntry]) -> Table {
        var table = Table("ENTRY", "TIME", "BY", "ACTION", "WHAT", "DETAILS")
        for entry in entries {
            table.add(
                "\(entry.sequence)", entry.time.shown, entry.actor, entry.action, entry.subject, details(entry.details))
        }
        return table
    }

    /// The text for a log whose chain is intact.
    package static func verified(_ result: AuditVerification) -> String {
        let head = result.head.map { " The last one's hash is \(Printable.line($0))." } ?? ""
        let beginning =
            result.first > 1
            ? " It begins at entry \(result.first): those before had had their time, which is on the record." : ""
        let entries = Count.text(result.entries, "entry", "entries")
        return "\(entries), each follows from the one before.\(beginning)\(head)"
    }

    package static func details(_ details: JSON) -> String {
        guard case .object(let members) = details else { return DeviceText.text(details) }
        return members.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value, of: $0.key))" }
            .joined(separator: ", ")
    }

    private static func text(_ value: JSON, of name: String) -> String {
        if value == .null { return "none" }
        return AuditEntry.moment(value, of: name)?.shown ?? DeviceText.text(value)
    }
}
