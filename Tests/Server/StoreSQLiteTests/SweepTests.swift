import EmptyStore
import Foundation
import GRDB
import Management
import Synchronization
import Testing

@testable import StoreSQLite

private let costDevices = Int(ProcessInfo.processInfo.environment["MARTLET_COST_DEVICES"] ?? "") ?? 0

/// What is forgotten each hour is looked for by readers: devices wait for the writer.
struct SweepTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try EmptyStore.open(path: directory.path("store.sqlite"))
    }

    private static func time(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

    /// Old accounts that all came in one second; of every third a certificate still counts.
    private func addAccounts(_ count: Int) async throws {
        try await store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
                    INSERT INTO acme_account SELECT 'a' || i, 't' || i, x'00', '', 'valid', 7 FROM n;
                    WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 3 FROM n WHERE i + 3 <= :count)
                    INSERT INTO identity_certificate SELECT CAST('f' || i AS BLOB), 's' || i, x'00', 'x', 1, 'd', '[]',
                        'a' || i, 7, 1000000, NULL, 0 FROM n;
                    """, arguments: ["count": count])
        }
    }

    private func addOthers() async throws {
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO administrator (name, password_hash, must_change, created, role)
                        VALUES ('a', 'h', 0, 1, 'administrator');
                    INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
                    INSERT INTO app (bundle_identifier, name, revision) VALUES ('a.b', 'A', 0);
                    INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
                    INSERT INTO configuration_adoption VALUES ('a.b', 'main', '', 1, 0, 1);
                    """)
            for number in 0..<1_100 {
                try db.execute(
                    sql: """
                        INSERT INTO session (digest, administrator, opened, expires) VALUES (:bytes, 'a', 1, 2);
                        INSERT INTO command (enrollment, uuid, request_type, document, state, deferred, author, created,
                            finished) VALUES ('d', :name, 'x', x'', 'acknowledged', 0, 'a', 1, 900000 + :number);
                        INSERT INTO enrollment_code (id, digest, group_name, ownership, supervised, legacy, author, created,
                            expires, state) VALUES (:name, :bytes, 'g', 'organization', 1, 0, 'a', 1, 2, 'unused');
                        INSERT INTO certificate (fingerprint, serial, der, key_digest, issued, not_after)
                            VALUES (:bytes, :name, x'', x'', 1, 2);
                        INSERT INTO acme_grant VALUES (:bytes, 's', 1, 'd', 0, x'', 'used', NULL, 1);
                        INSERT INTO scep_challenge (digest, secret, version, device, profile, created, expires)
                            VALUES (:bytes, 's', 1, 'd', x'', 1, 2);
                        INSERT INTO snapshot VALUES (:name, x'', 1);
                        INSERT INTO snapshot_holder VALUES (:name, '[]', 900000 + :number);
                        INSERT INTO file VALUES (:name, x'00');
                        """,
                    arguments: ["name": "n\(number)", "bytes": Data("n\(number)".utf8), "number": number])
            }
        }
    }

    private func addDevice() async throws {
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES ('D1', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1)
                    """)
        }
    }

    private func count(_ table: String, _ condition: String = "TRUE") async throws -> Int {
        try await store.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table) WHERE \(condition)") ?? -1
        }
    }

    /// What the writer ran: the statements of each transaction, and of each statement an example with its values.
    ///
    /// A statement is told again for each trigger that it sets off, so each with its values counts once.
    private struct Writes {
        var transactions: [Set<String>] = []
        var examples: [String: String] = [:]
    }

    private func writes(of work: () async throws -> Void) async throws -> Writes {
        let writes = Mutex(Writes())
        try await store.write { db in
            db.trace { event in
                guard case .statement(let statement) = event, !statement.sql.hasPrefix("--") else { return }
                writes.withLock { writes in
                    let sql = statement.sql
                    if sql.hasPrefix("BEGIN") { writes.transactions.append([]) }
                    guard !writes.transactions.isEmpty else { return }
                    writes.transactions[writes.transactions.count - 1].insert(statement.expandedSQL)
                    if writes.examples[sql] == nil { writes.examples[sql] = statement.expandedSQL }
                }
            }
        }
        try await work()
        try await store.write { db in db.trace(options: []) }
        return writes.withLock { $0 }
    }

    private func plan(_ sql: String) async throws -> [String] {
        try await store.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
        }
    }

    /// A9: each transaction of the writer removes a bounded number of rows, and finds each by its key or an index.
    @Test func theWriterIsGivenKeysAndNeverATableToLookThrough() async throws {
        try await addAccounts(1_500)
        try await addOthers()
        var retention = Retention()
        retention.finishedCommandsPerDevice = 10
        retention.supersededSnapshots = 5
        retention.auditSeconds = nil
        let limits = retention
        let writes = try await writes { try await store.prune(limits, now: Self.time(950_000)) }
        #expect(writes.transactions.count > 20)
        let largest = writes.transactions.map { $0.filter { $0.hasPrefix("DELETE") }.count }.max() ?? 0
        #expect(largest <= Sweep.removed)
        let texts = writes.examples.filter { $0.key.hasPrefix("DELETE") || $0.key.hasPrefix("SELECT") }
        #expect(texts.count >= 8)
        for (text, example) in texts {
            let scans = try await plan(example).filter { $0.hasPrefix("SCAN") }
            #expect(scans.isEmpty, "\(text): \(scans)")
        }
        #expect(try await count("acme_account") == 500)
        #expect(try await count("command") == 10)
        #expect(try await count("snapshot") == 5)
        #expect(try await count("snapshot_holder") == 5)
        for table in ["session", "certificate", "acme_grant", "scep_challenge", "file"] {
            #expect(try await count(table) == 0, "\(table)")
        }
        #expect(try await count("enrollment_code") == 1_100, "codes stay visible for a month")
    }

    /// More rows of one second than one part looks at are passed without looking at any twice, and none is left out.
    @Test func rowsOfOneSecondArePassedPartByPart() async throws {
        try await addAccounts(3 * Sweep.looked)
        try await store.prune(Retention(), now: Self.time(200_000))
        #expect(try await count("acme_account") == Sweep.looked)
        #expect(try await count("identity_certificate") == Sweep.looked)
    }

    /// Between the look of a reader and the writer a row may be wanted again.
    @Test func whatIsWantedAgainMeanwhileStays() async throws {
        try await addAccounts(2)
        let sweep = Sweep(
            table: "acme_account", time: "created", key: ["id"],
            condition: "NOT EXISTS (SELECT 1 FROM identity_certificate c WHERE c.account = acme_account.id)")
        let keys = try await store.read { db in try sweep.part(db, after: nil, before: 100).keys }
        #expect(keys.count == 2)
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO identity_certificate
                        VALUES (x'01', 's', x'00', 'x', 1, 'd', '[]', 'a1', 7, 1000000, NULL, 0)
                    """)
        }
        try await store.remove(keys, of: sweep, before: 100)
        #expect(try await count("acme_account", "id = 'a1'") == 1)
        #expect(try await count("acme_account") == 1)
    }

    @Test func aSnapshotGoesWithItsLastHolder() async throws {
        try await addDevice()
        func keep(_ token: String) async throws {
            let snapshot = ManifestSnapshot(declarationsToken: token, declarations: [:], assets: [:])
            try await store.keepOwnSnapshot(
                snapshot, files: [:], device: "D1", epoch: 1, now: Self.time(0))
        }
        try await keep("t1")
        try await keep("t2")
        #expect(try await store.snapshot(token: "t1") == nil)
        let shared = ManifestSnapshot(declarationsToken: "t2", declarations: [:], assets: [:])
        try await store.keepSnapshot(shared, groups: ["g"], now: Self.time(0))
        try await store.recordItems(device: "D1", epoch: 1, token: "other", now: Self.time(0))
        #expect(try await store.snapshot(token: "t2") != nil, "a set of groups has it, too")
        try await keep("t3")
        try await store.recordItems(device: "D1", epoch: 1, token: "other", now: Self.time(0))
        #expect(try await store.snapshot(token: "t3") == nil)
        #expect(try await count("snapshot_device") == 0)
    }

    /// A9: inside a device's exchange nobody looks through the open commands of all devices.
    @Test func expiredCommandsAreFoundByTheirTime() async throws {
        try await addDevice()
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO command (enrollment, uuid, request_type, document, state, deferred, author, created, expires)
                    VALUES ('D1', 'u', 'x', x'', 'queued', 0, 'a', 1, 2)
                    """)
        }
        let writes = try await writes {
            _ = try await store.exchange(.idle, result: nil, device: "D1", now: Self.time(5))
        }
        let expiring = writes.examples.filter { $0.key.contains("expires <=") }
        #expect(expiring.count == 2)
        for (_, example) in expiring {
            let plan = try await plan(example)
            #expect(plan.contains { $0.contains("command_expiring") }, "\(plan)")
        }
    }

    /// A9: packages that nobody uses are forgotten part by part, each with its entry in the audit log.
    @Test func unusedPackagesAreForgottenPartByPart() async throws {
        let unused = 2 * SQLiteStore.prunedAtOnce + 1
        try await store.write { db in
            try db.execute(sql: "INSERT INTO app (bundle_identifier, name, revision) VALUES ('a.b', 'A', 0)")
            for number in 0...unused {
                try db.execute(
                    sql: "INSERT INTO package VALUES (?, 'a.b', 1, 'A', '1', '1', 'T', NULL, NULL, x'', 'a', 1, ?)",
                    arguments: ["p\(number)", number == unused ? nil : number])
            }
        }
        let writes = try await writes {
            let removed = try await store.prunePackages(unusedSince: Self.time(1_000), now: Self.time(2_000))
            #expect(Set(removed).count == unused)
        }
        let entries = writes.transactions.map { $0.count { $0.hasPrefix("INSERT INTO audit (") } }
        #expect(entries.max() == SQLiteStore.prunedAtOnce && entries.reduce(0, +) == unused, "\(entries)")
        for (text, example) in writes.examples where text.hasPrefix("DELETE") {
            let scans = try await plan(example).filter { $0.hasPrefix("SCAN") }
            #expect(scans.isEmpty, "\(text): \(scans)")
        }
        #expect(try await count("package") == 1)
    }

    /// A figure for docs/performance.md: how long a write waits while everything is looked through and nothing may go.
    @Test(.enabled(if: costDevices > 0, "MARTLET_COST_DEVICES says of how many devices"))
    func whatAnHourlyRoundCosts() async throws {
        try await store.write { db in
            let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(costDevices))"
            try db.execute(
                sql: """
                    INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
                    \(numbers) INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts,
                        enrolled, items_token) SELECT 'd' || i, 'device', 'enrolled', 'organization', 1,
                        CAST('f' || i AS BLOB), 1, '{}', 1, 't' || i FROM n;
                    \(numbers) INSERT INTO certificate (fingerprint, serial, der, key_digest, issued, not_after, enrollment)
                        SELECT CAST('f' || i AS BLOB), 's' || i, zeroblob(900), x'', 1, 2, 'd' || i FROM n;
                    \(numbers) INSERT INTO acme_account SELECT 'a' || i, 't' || i, zeroblob(200), '', 'valid', i / 1000 FROM n;
                    \(numbers) INSERT INTO acme_grant SELECT CAST('g' || i AS BLOB), 's', 1, 'd' || i, 0, zeroblob(100),
                        'used', 'a' || i, i / 1000 FROM n;
                    \(numbers) INSERT INTO acme_order SELECT 'o' || i, 'a' || i, CAST('g' || i AS BLOB), 'k', 'v', 0, x'', 't',
                        2000000000, 'valid', NULL, NULL, NULL, NULL, NULL FROM n;
                    \(numbers) INSERT INTO enrollment_code (id, digest, group_name, ownership, supervised, legacy, author,
                        created, expires, state) SELECT 'c' || i, CAST('c' || i AS BLOB), 'g', 'organization', 1, 0, 'a', 1,
                        2000000000, 'used' FROM n;
                    \(numbers) INSERT INTO snapshot SELECT 't' || i, zeroblob(1000), 1 FROM n;
                    \(numbers) INSERT INTO snapshot_device SELECT 'd' || i, 't' || i FROM n;
                    """)
        }
        let clock = ContinuousClock()
        let (taken, waits) = try await withThrowingTaskGroup(of: [Duration].self) { group in
            group.addTask { [store] in
                var waits: [Duration] = []
                while !Task.isCancelled {
                    let start = clock.now
                    _ = try await store.addGroup(named: "w\(waits.count)", author: "a", now: Date())
                    waits.append(start.duration(to: clock.now))
                }
                return waits
            }
            let start = clock.now
            try await store.prune(Retention(), now: Self.time(1_000_000_000))
            let taken = start.duration(to: clock.now)
            group.cancelAll()
            return (taken, try await group.next() ?? [])
        }
        print(
            "COST an hourly round over \(costDevices) devices: \(taken); a write beside it waited at most",
            "\(waits.max() ?? .zero), median \(waits.sorted()[waits.count / 2])")
    }
}
