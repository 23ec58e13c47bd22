import EmptyStore
import Foundation
import GRDB
import Management
import Testing

@testable import StoreSQLite

/// A10: no question about the log takes longer the longer the log is.
struct AuditSearchTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteStore
    private static let entries = 25_500

    init() async throws {
        directory = try TemporaryDirectory()
        store = try EmptyStore.open(path: directory.path("store.sqlite"))
        // In the middle the clock is a year ahead for a while, and then set back.
        try await store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO audit SELECT i, 1000000 + i + IIF(i BETWEEN 12000 AND 12300, 31536000, 0),
                        IIF(i % 3, 'server', 'administrator:a'), IIF(i % 5, 'device.enroll', 'app.set'),
                        IIF(i % 2, 'one', 'two'), '{}', x'00' FROM n
                    """, arguments: [Self.entries])
        }
    }

    private static func time(_ sequence: Int) -> Date {
        Date(timeIntervalSince1970: TimeInterval(1_000_000 + sequence))
    }

    /// All pages, and how many there were.
    private func all(_ filter: AuditFilter) async throws -> (sequences: [Int], pages: Int) {
        var (sequences, pages, place): ([Int], Int, String?) = ([], 0, nil)
        repeat {
            let page = try await store.auditEntries(filter, PageRequest(after: place, limit: 500))
            sequences += page.items.map(\.sequence)
            (pages, place) = (pages + 1, page.next)
        } while place != nil
        return (sequences, pages)
    }

    @Test(arguments: [
        AuditFilter(), AuditFilter(actor: "administrator:a"), AuditFilter(action: .setApp, subject: "two"),
        AuditFilter(since: time(25_000)), AuditFilter(until: time(900)),
        AuditFilter(since: time(12_100), until: time(12_400)),
        AuditFilter(since: time(12_100 + 31_536_000), until: time(12_200 + 31_536_000)),
        AuditFilter(actor: "server", action: .setApp, subject: "one", since: time(3_000), until: time(21_000)),
        AuditFilter(actions: [.setApp, .removeApp]), AuditFilter(actions: [.setApp, .enrollDevice], subject: "two"),
        AuditFilter(actor: "server", actions: [.setApp, .removeApp], since: time(3_000), until: time(21_000)),
    ]) func everyEntryThatFitsIsFoundOnceWhateverTheClockDid(filter: AuditFilter) async throws {
        let rows = try await store.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM audit ORDER BY sequence DESC").map(SQLiteStore.auditEntry)
        }
        let expected = rows.filter { entry in
            (filter.actor ?? entry.actor) == entry.actor && (filter.subject ?? entry.subject) == entry.subject
                && (filter.actions?.map(\.rawValue) ?? [entry.action]).contains(entry.action)
                && entry.time >= filter.since ?? .distantPast && entry.time < filter.until ?? .distantFuture
        }.map(\.sequence)
        #expect(try await all(filter).sequences == expected)
    }

    @Test func aTimeWithoutEntriesIsAnsweredAtOnce() async throws {
        #expect(try await all(AuditFilter(until: Date(timeIntervalSince1970: 0))) == ([], 1))
        #expect(try await all(AuditFilter(since: Date(timeIntervalSince1970: 1e9))) == ([], 1))
    }

    /// A page ends after so many entries however few fit, and says where to go on.
    @Test func aPageEndsAfterABoundedNumberOfEntries() async throws {
        let never = AuditFilter(actor: "server", subject: "three")
        #expect(try await all(never) == ([], 1), "no entry is of this thing")
        try await store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)
                    INSERT INTO audit SELECT \(Self.entries) + i, 2000000, 'device:d', 'secret.release', 'three', '{}', x'00'
                        FROM n
                    """)
        }
        let first = try await store.auditEntries(never, PageRequest(limit: 500))
        #expect(first.items.isEmpty && first.next == "\(Self.entries + 20_500 - AuditSearch.looked + 1)")
        #expect(try await all(never) == ([], 3))
    }

    @Test func blocksGoWithTheirEntries() async throws {
        var retention = Retention()
        retention.auditSeconds = 0
        let now = Self.time(2 * 86_400)
        try await store.prune(retention, now: now)
        let blocks = try await store.read { db in try Int.fetchAll(db, sql: "SELECT block FROM audit_block") }
        let anchor = try #require(await store.auditAnchor()?.sequence)
        #expect(!blocks.isEmpty && blocks.allSatisfy { $0 >= anchor / AuditSearch.block })
    }

    /// A10: a webhook that asks for what hardly happens moves on part by part.
    @Test func aWebhookThatIsFarBehindIsServedPartByPart() async throws {
        let now = Self.time(30_000)
        let draft = WebhookDraft(
            name: "w", author: "a", now: now,
            seal: { _, _ in SealedSecret(masterKeyID: "k", wrappedKey: Data(), sealed: Data()) })
        let settings = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["team.add"]))
        _ = try await store.addWebhook(draft, settings, limit: 5)
        try await store.write { db in try db.execute(sql: "UPDATE webhook SET cursor = 0") }
        let due = try await store.dueWebhooks(now: now)
        #expect(due.numbers.count == 1, "there is more to look at")
        let shown = try #require(await store.webhook(named: "w"))
        #expect(shown.waiting == 0 && shown.isMoreWaiting)
        let number = try #require(due.numbers.first)
        #expect(try await store.nextWebhookWork(for: number, now: now) == nil)
        let end = try #require(await store.webhook(named: "w"))
        #expect(end.cursor >= Self.entries && !end.isMoreWaiting)
        #expect(try await store.dueWebhooks(now: now).numbers.isEmpty)
    }
}
