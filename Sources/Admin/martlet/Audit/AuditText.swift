package import AdminMessages

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
        return "\(result.entries) entries, each follows from the one before.\(beginning)\(head)"
    }

    private static func details(_ details: JSON) -> String {
        guard case .object(let members) = details else { return DeviceText.text(details) }
        return members.sorted { $0.key < $1.key }.map { "\($0.key) \(DeviceText.text($0.value))" }
            .joined(separator: ", ")
    }
}
