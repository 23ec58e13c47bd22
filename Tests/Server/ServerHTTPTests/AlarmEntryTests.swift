import Foundation
import GuideBlocks
import Management
import Testing

/// Each alert that a webhook and the audit log have is on the page "Something is wrong", beside what to do.
@Suite struct AlarmEntryTests {
    /// The entries of a page, by their titles.
    private static func entries(of path: String) throws -> [String: String] {
        let text = try String(contentsOf: Guide.tree.appending(path: path), encoding: .utf8)
        var entries: [String: String] = [:]
        for part in text.components(separatedBy: "\n### ").dropFirst() {
            let lines = part.components(separatedBy: "\n")
            // What follows under the next title of a chapter is another one's.
            let own = lines.dropFirst().prefix { !$0.hasPrefix("## ") }
            entries[lines.first ?? ""] = own.joined(separator: "\n")
        }
        return entries
    }

    /// Red where a kind of alert is added, and nobody writes what an operator does about it.
    @Test func eachKindOfAlertHasAnEntryOfItsOwn() throws {
        let kinds = AuditEntry.Action.allCases.filter { $0.rawValue.hasPrefix("alert.") }
        #expect(Set(kinds) == Set(AuditEntry.Action.allCases.filter(\.isAlert)) && kinds.count > 3)
        let entries = try Self.entries(of: "docs/Martlet.docc/SomethingIsWrong.md")
        var titles: Set<String> = []
        for kind in kinds {
            let found = entries.filter { $0.value.contains("`\(kind.rawValue)`") }
            #expect(found.count == 1, "\(kind.rawValue) is in \(found.keys.sorted())")
            #expect(found.allSatisfy { $0.value.contains("`martlet device ") }, "\(kind.rawValue) has no command")
            titles.formUnion(found.keys)
        }
        #expect(titles.count == kinds.count, "one entry for each: \(titles.sorted())")
    }

    /// Red where the page of webhooks lacks a kind, or has one that no server sends.
    @Test func eachKindOfAlertIsInTheTableOfWebhooks() throws {
        let page = try String(contentsOf: Guide.tree.appending(path: "docs/webhooks.md"), encoding: .utf8)
        let rows = page.matches(of: /\n\| `(alert\.[a-z\-]+)` \|/).map { String($0.1) }
        let kinds = AuditEntry.Action.allCases.filter(\.isAlert).map(\.rawValue)
        #expect(rows.sorted() == kinds.sorted())
    }
}
