import Foundation
import InputBounds

extension WebhookMessage {
    /// Details of an alert are a few names.
    private static let alertDetails = InputLimits(bytes: 4_096, objects: 100)

    /// What the event of an alert has beside the members of every event: the device, and the app with its state or the
    /// time at which the device was last seen.
    ///
    /// These are names, a word and a time. The details of all other entries stay on the server.
    static func alertMembers(of entry: AuditEntry) -> [String: JSONValue] {
        guard AuditEntry.Action(rawValue: entry.action)?.isAlert == true else { return [:] }
        let details = try? JSONValue(parsing: Data(entry.details.utf8), limits: alertDetails)
        var members = details?.object ?? [:]
        members["device"] = .string(entry.subject)
        return members
    }
}
