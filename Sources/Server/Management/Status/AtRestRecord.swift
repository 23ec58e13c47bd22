package import DeviceMessages
package import Foundation
package import InputBounds

/// What is known of how a device keeps what it was given: its own word, and whether it was given an older copy of it.
package struct AtRestRecord: Sendable, Equatable {
    /// The status item that is kept so.
    package static let item = AtRestStatus.name

    private static let noticedKey = "older-copy-noticed"
    private static let damageKey = "damage-noticed"
    private static let replacedKey = "damage-replaced"

    package let status: AtRestStatus
    /// When an older copy was last noticed.
    package let olderCopyNoticed: Date?
    /// When the device first said of its newest generation that it was damaged; the last time that this happened.
    package let damageNoticed: Date?
    /// When it was in order again; nothing while the generation before serves.
    package let damageReplaced: Date?

    /// What a device now says, held against what was known.
    init(_ status: AtRestStatus, after known: AtRestRecord?, now: Date) {
        self.status = status
        // A generation that is damaged was there: what lies beside it is no older copy.
        let newest = max(status.found, status.damaged ?? 0)
        let isOlder = known.map { $0.status.run != status.run && newest < $0.status.serving } ?? false
        olderCopyNoticed = isOlder ? now : known?.olderCopyNoticed
        let isNews = status.damaged != known?.status.damaged
        damageNoticed = isNews && status.damaged != nil ? now : known?.damageNoticed
        damageReplaced = status.damaged != nil ? nil : isNews ? now : known?.damageReplaced
    }

    /// Reads what `merged` made.
    package init?(_ value: JSONValue) {
        guard let status = try? AtRestStatus(value) else { return nil }
        self.status = status
        func date(_ key: String) -> Date? {
            value[key]?.int.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        }
        olderCopyNoticed = date(Self.noticedKey)
        damageNoticed = date(Self.damageKey)
        damageReplaced = date(Self.replacedKey)
    }

    /// The value that is kept of the item; what cannot be read changes nothing.
    package static func merged(_ old: JSONValue?, with new: JSONValue, now: Date) -> JSONValue? {
        guard let status = try? AtRestStatus(new) else { return old }
        return AtRestRecord(status, after: old.flatMap { AtRestRecord($0) }, now: now).value
    }

    private var value: JSONValue {
        var members = status.value.object ?? [:]
        for (key, date) in [
            (Self.noticedKey, olderCopyNoticed), (Self.damageKey, damageNoticed), (Self.replacedKey, damageReplaced),
        ] {
            members[key] = date.map { .integer(Int64($0.timeIntervalSince1970)) }
        }
        return .object(members)
    }
}
