import AdminMessages
import Foundation
import Testing

@testable import Console

/// What the activity says of an entry beside who did what.
@Suite("Details of the activity")
struct AuditDetailsTests {
    private func shown(_ details: [String: JSON]) -> String {
        let entry = AuditEntry(
            sequence: 1, time: Date(timeIntervalSince1970: 0), actor: "server", action: "store.restore",
            subject: "store", details: .object(details), hash: "ab")
        return AuditDetails.html(of: entry).text
    }

    /// Red where a person has to convert seconds to read when a session ends, or when a copy of the store was made.
    @Test("a moment is read as a date", arguments: AuditEntry.moments.sorted())
    func moment(name: String) {
        let date = "<time datetime=\"2026-11-18T11:06:40.000Z\">2026-11-18 11:06:40 UTC</time>"
        let page = shown([name: .integer(1_795_000_000)])
        #expect(page.contains("<dd>\(date)</dd>"), "\(page)")
        let inside = shown(["inside": .object([name: .integer(1_795_000_000)])])
        #expect(inside.contains("<dd>\(date)</dd>"), "\(inside)")
        // As it is kept it is a number.
        #expect(page.contains(":1795000000}</code>"), "\(page)")
    }

    @Test("another number stays one")
    func number() {
        #expect(shown(["size": .integer(1_795_000_000)]).contains("<dd>1795000000</dd>"))
    }
}
