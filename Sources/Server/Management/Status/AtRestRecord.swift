package import DeviceMessages
package import Foundation
package import InputBounds

/// What is known of how a device keeps what it was given: its own word, and whether it was given an older copy of it.
package struct AtRestRecord: Sendable, Equatable {
    /// The status item that is kept so.
    package static let item = AtRestStatus.name

    private static let noticedKey = "older-copy-noticed"

    package let status: AtRestStatus
    /// When an older copy was last noticed.
    package let olderCopyNoticed: Date?

    /// What a device now says, held against what was known.
    init(_ status: AtRestStatus, after known: AtRestRecord?, now: Date) {
        self.status = status
        let isOlder = known.map { $0.status.run != status.run && status.found < $0.status.serving } ?? false
        olderCopyNoticed = isOlder ? now : known?.olderCopyNoticed
    }

    /// Reads what `merged` made.
    package init?(_ value: JSONValue) {
        guard let status = try? AtRestStatus(value) else { return nil }
        self.status = status
        olderCopyNoticed = value[Self.noticedKey]?.int.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// The value that is kept of the item; what cannot be read changes nothing.
    package static func merged(_ old: JSONValue?, with new: JSONValue, now: Date) -> JSONValue? {
        guard let status = try? AtRestStatus(new) else { return old }
        return AtRestRecord(status, after: old.flatMap { AtRestRecord($0) }, now: now).value
    }

    private var value: JSONValue {
        var members = status.value.object ?? [:]
        members[Self.noticedKey] = olderCopyNoticed.map { .integer(Int64($0.timeIntervalSince1970)) }
        return .object(members)
    }
}
