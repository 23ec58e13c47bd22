import Foundation
import GRDB
import InputBounds
import Management
import Testing

/// An audit log whose oldest entries have had their time: the rest is still what it was, and says where it begins.
struct AuditRetentionTests {
    private static let years: TimeInterval = 3 * 365 * 24 * 3_600
    private static let day: TimeInterval = 24 * 3_600

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        for name in ["a", "b", "c"] { try await create(name) }
    }

    private func create(_ name: String) async throws {
        _ = try #require(await fixture.management.createGroup(named: name, author: "admin").value)
    }

    /// Three entries, then three younger ones, then the time of the first three ends.
    private func prune() async throws {
        fixture.advance(Self.years)
        for name in ["d", "e", "f"] { try await create(name) }
        fixture.advance(2 * Self.day)
        try await fixture.management.maintain()
    }

    @Test func whatHasHadItsTimeGoesAndTheChainHoldsFromThere() async throws {
        try await prune()
        let chain = try await fixture.management.verifyAudit()
        #expect(chain.fault == nil && chain.first == 4 && chain.count == 4 && chain.length == 7)
        let kept = try await fixture.management.auditEntries(AuditFilter(), PageRequest()).items
        #expect(kept.map(\.sequence) == [7, 6, 5, 4])
        #expect(kept.first?.action == "audit.prune" && kept.first?.actor == "server")
        #expect(kept.first?.details.contains(#""through":3"#) == true)

        // It goes on, and again.
        fixture.advance(Self.years)
        try await create("g")
        fixture.advance(2 * Self.day)
        try await fixture.management.maintain()
        let later = try await fixture.management.verifyAudit()
        #expect(later.fault == nil && later.first == 8 && later.count == 2)
        try fixture.restart()
        #expect(try await fixture.management.verifyAudit().head == later.head)
    }

    @Test func untilTheOldestIsADayPastItsTimeNothingIsWritten() async throws {
        for hours in [0, 1, 23] {
            fixture.advance(hours == 0 ? Self.years : TimeInterval(hours - (hours == 23 ? 1 : 0)) * 3_600)
            try await fixture.management.maintain()
            #expect(try await fixture.management.verifyAudit().first == 1)
        }
        fixture.advance(2 * 3_600)
        try await fixture.management.maintain()
        let chain = try await fixture.management.verifyAudit()
        #expect(chain.fault == nil && chain.first == 4 && chain.count == 1)
    }

    @Test func aLongLogGoesInPartsEachOfThemRecorded() async throws {
        let table = "userName\n" + (1...2_100).map { "p\($0)" }.joined(separator: "\n")
        _ = try #require(
            await fixture.management.importPeople(Data(table.utf8), dryRun: false, author: "admin").value)
        fixture.advance(Self.years + 2 * Self.day)
        try await fixture.management.maintain()
        let chain = try await fixture.management.verifyAudit()
        let kept = try await fixture.management.auditEntries(AuditFilter(), PageRequest()).items
        #expect(chain.fault == nil && chain.first == 2_104)
        #expect(kept.map(\.action) == ["audit.prune", "audit.prune"])
    }

    /// Whoever carries the log away while its beginning goes hears of it, and has no log with a hole.
    @Test func aLogThatMovedOnWhileItWasReadIsNotTakenForWhole() async throws {
        let excerpt = try await fixture.management.auditExcerpt()
        #expect(try await excerpt.entries(after: 0).map(\.sequence) == [1, 2, 3])
        #expect(try await excerpt.entries(after: 3).isEmpty)
        try await prune()
        await #expect(throws: AuditMovedOn.self) { try await excerpt.entries(after: 0) }
        let later = try await fixture.management.auditExcerpt()
        #expect(later.anchor?.sequence == 3)
        #expect(try await later.entries(after: 3).map(\.sequence) == [4, 5, 6, 7])
    }

    /// A clock that was set back makes an entry look older than one before it: nothing goes from the middle.
    @Test func anEntryBehindAYoungerOneStays() async throws {
        fixture.advance(2 * Self.years)
        try await create("younger")
        fixture.advance(-2 * Self.years)
        try await create("older")
        fixture.advance(Self.years + 2 * Self.day)
        try await fixture.management.maintain()
        let chain = try await fixture.management.verifyAudit()
        #expect(chain.fault == nil && chain.first == 4)
        let kept = try await fixture.management.auditEntries(AuditFilter(), PageRequest()).items
        #expect(kept.map(\.subject) == ["audit", "older", "younger"])
    }

    @Test(arguments: [
        "DELETE FROM audit WHERE sequence = 4", "DELETE FROM audit_anchor",
        "UPDATE audit_anchor SET sequence = 2, hash = zeroblob(32)",
    ])
    func whatIsKeptRefusesToBeChanged(sql: String) async throws {
        try await prune()
        try fixture.closeStore()
        let database = try DatabaseQueue(path: fixture.databasePath)
        #expect(throws: DatabaseError.self) { try database.write { try $0.execute(sql: sql) } }
        try database.close()
    }

    /// Changed, removed, reordered, with the anchor moved behind what was removed or taken away: each is found out.
    @Test(arguments: [
        ("UPDATE audit SET subject = 'x' WHERE sequence = 5", AuditChain.Fault.entry(5)),
        ("DELETE FROM audit WHERE sequence = 4", .entry(4)), ("DELETE FROM audit WHERE sequence = 6", .entry(6)),
        (
            """
            UPDATE audit SET sequence = 99 WHERE sequence = 5; UPDATE audit SET sequence = 5 WHERE sequence = 6;
            UPDATE audit SET sequence = 6 WHERE sequence = 99
            """, .entry(5)
        ),
        (
            """
            UPDATE audit_anchor SET sequence = 5, hash = (SELECT hash FROM audit WHERE sequence = 5);
            DELETE FROM audit WHERE sequence <= 5
            """, .beginning(6)
        ),
        ("DELETE FROM audit_anchor", .entry(1)),
        ("UPDATE audit_anchor SET hash = zeroblob(32)", .entry(4)),
        ("DELETE FROM audit", .beginning(4)), ("DELETE FROM audit WHERE sequence = 7", .beginning(4)),
    ])
    func whoeverRewritesItIsFoundOut(sql: String, fault: AuditChain.Fault) async throws {
        try await prune()
        try await fixture.betweenServers { db in
            for trigger in ["audit_is_not_changed", "audit_is_not_removed", "audit_anchor_stays"] {
                try db.execute(sql: "DROP TRIGGER \(trigger)")
            }
            try db.execute(sql: "DROP TRIGGER audit_anchor_moves_forward")
            try db.execute(sql: sql)
        }
        #expect(try await fixture.management.verifyAudit().fault == fault)
    }
}
