package import Foundation
package import InputBounds

/// Where the kept part of the log begins: the last entry that was removed because it had had its time.
package struct AuditAnchor: Sendable, Equatable {
    package let sequence: Int
    package let hash: Data

    package init(sequence: Int, hash: Data) {
        self.sequence = sequence
        self.hash = hash
    }

    /// The details of the entry that records it.
    package var details: [String: JSONValue] {
        ["through": .integer(Int64(sequence)), "hash": .string(Hexadecimal.text(hash))]
    }

    /// Whether an entry is the one that records it.
    func isRecorded(by entry: AuditEntry) -> Bool {
        entry.action == AuditEntry.Action.pruneAudit.rawValue
            && entry.details == String(decoding: JSONValue.object(details).encoded(), as: UTF8.self)
    }
}

/// Follows the chain from its beginning, or from where older entries were removed, and finds what does not fit.
package struct AuditChain: Sendable {
    /// Why the log is not what it was.
    package enum Fault: Sendable, Equatable {
        /// The entry in this place does not follow from the one before, or is missing.
        case entry(Int)
        /// No entry records that what came before this place was removed.
        case beginning(Int)

        package var place: Int {
            switch self {
            case .entry(let place), .beginning(let place): place
            }
        }

        package var rule: String {
            switch self {
            case .entry: "each entry follows from the one before"
            case .beginning: "where the log begins is recorded in it"
            }
        }
    }

    /// The last entry that fits.
    package private(set) var length: Int
    /// The digest of the last entry that fits: kept elsewhere, it shows later whether the log was cut or rewritten.
    package private(set) var head: Data
    private var broken: Fault?
    private var isRecorded: Bool
    let anchor: AuditAnchor?

    package init(after anchor: AuditAnchor? = nil) {
        self.anchor = anchor
        length = anchor?.sequence ?? 0
        head = anchor?.hash ?? AuditEntry.beginning
        isRecorded = anchor == nil
    }

    /// Goes on from a place.
    init(from place: Place) {
        anchor = place.first.flatMap { first in place.firstHash.map { AuditAnchor(sequence: first, hash: $0) } }
        (length, head, isRecorded) = (place.length, place.head, place.isRecorded)
    }

    var place: Place {
        Place(
            first: anchor?.sequence, firstHash: anchor?.hash, length: length, head: head, isRecorded: isRecorded)
    }

    /// The place of the first entry that is kept.
    package var first: Int { (anchor?.sequence ?? 0) + 1 }
    /// Entries that fit.
    package var count: Int { length - first + 1 }
    /// What does not fit, once every entry has been followed.
    package var fault: Fault? { broken ?? (isRecorded ? nil : .beginning(first)) }

    var isBroken: Bool { broken != nil }

    package mutating func follow(_ entry: AuditEntry) {
        guard broken == nil else { return }
        guard entry.sequence == length + 1, entry.hash == entry.digest(after: head) else {
            broken = .entry(length + 1)
            return
        }
        length = entry.sequence
        head = entry.hash
        if let anchor, anchor.isRecorded(by: entry) { isRecorded = true }
    }
}
