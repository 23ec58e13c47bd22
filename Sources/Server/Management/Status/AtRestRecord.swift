package import DeviceMessages
package import Foundation
package import InputBounds

/// How a device protects its stored state: its own report, and whether the server noticed that it started with an older
/// copy.
package struct AtRestRecord: Sendable, Equatable {
    /// The name of the status item that the record is made from.
    package static let item = AtRestStatus.name

    private static let noticedKey = "older-copy-noticed"
    private static let damageKey = "damage-noticed"
    private static let replacedKey = "damage-replaced"

    package let status: AtRestStatus
    /// When an older copy was last noticed.
    package let olderCopyNoticed: Date?
    /// When the device first reported the latest damage to its newest generation.
    package let damageNoticed: Date?
    /// When the damage was repaired; nil while the device uses the generation before.
    package let damageReplaced: Date?

    /// Compares a device's new report with the known record.
    init(_ status: AtRestStatus, after known: AtRestRecord?, now: Date) {
        self.status = status
        olderCopyNoticed = Self.isOlderCopy(status, than: known) ? now : known?.olderCopyNoticed
        let isNews = status.damaged != known?.status.damaged
        damageNoticed = isNews && status.damaged != nil ? now : known?.damageNoticed
        damageReplaced = status.damaged != nil ? nil : isNews ? now : known?.damageReplaced
    }

    private static func isOlderCopy(_ status: AtRestStatus, than known: AtRestRecord?) -> Bool {
        // A damaged newest generation is present, so the generation in use is not an older copy of the state.
        let newest = max(status.found, status.damaged ?? 0)
        return known.map { $0.status.run != status.run && newest < $0.status.serving } ?? false
    }

    /// The start of the device with an older copy, if `new` shows one after `old`; nil if the start is known already.
    package static func startWithOlderCopy(toldBy new: JSONValue, after old: JSONValue?) -> String? {
        guard let status = try? AtRestStatus(new), isOlderCopy(status, than: old.flatMap { AtRestRecord($0) }) else {
            return nil
        }
        return status.run
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

    /// The value to keep for the item; an unreadable report leaves the old one.
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
