package import Foundation

/// A line of an exported audit log: its beginning, then an entry in each line, then its end. `GET /audit/export`
///
/// The beginning has `martletAudit`, the end `entries` and `head`, every line in between the rest.
package struct AuditExportLine: Codable, Hashable, Sendable {
    /// The form's number: 1.
    package var martletAudit: Int?
    /// The place of the first entry.
    package var first: Int?
    /// The hash of the entry before the first, which is not kept any more; 64 zeros before the very first.
    package var previous: String?

    package var sequence: Int?
    /// In whole seconds.
    package var time: Date?
    package var actor: String?
    package var action: String?
    package var subject: String?
    /// A JSON object as the text that is hashed.
    package var details: String?
    package var hash: String?

    /// How many entries there are, said behind the last: a file without it was cut.
    package var entries: Int?
    /// The hash of the last entry.
    package var head: String?

    package init() {}
}
