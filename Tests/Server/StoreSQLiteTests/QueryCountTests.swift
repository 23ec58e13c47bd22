import EmptyStore
import Foundation
import GRDB
import InputBounds
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// What is listed is read at once, however long the list is.
struct QueryCountTests {
    @Test func aListOfAssignmentsIsOneQuery() async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        _ = try await store.addGroup(named: "g", author: "a", now: Date())
        try await store.write { db in
            for number in 0..<50 {
                try db.execute(
                    sql: "INSERT INTO app (bundle_identifier, name, revision) VALUES (?, 'n', 0)",
                    arguments: ["app\(number)"])
                try db.execute(
                    sql: """
                        INSERT INTO assignment (group_name, app, assigned, position) VALUES ('g', :app, 1, :number);
                        """, arguments: ["app": "app\(number)", "number": number])
                guard number % 2 == 0 else { continue }
                try db.execute(
                    sql: """
                        INSERT INTO file (sha256, bytes) VALUES (:app, x'');
                        INSERT INTO configuration (app, name, current) VALUES (:app, 'c "é"', 1);
                        INSERT INTO extension_configuration VALUES ('g', :app, 'e.1', 'c "é"'), ('g', :app, 'e.2', 'c "é"');
                        """, arguments: ["app": "app\(number)"])
            }
        }
        let queries = try await Self.queries(of: store)
        let page = try await store.assignments(AssignmentFilter(group: "g"), PageRequest(limit: 50))
        #expect(page.items.count == 50)
        #expect(queries.count.withLock { $0 } == 1)
        let extensions = page.items.map(\.extensions)
        #expect(extensions.filter { $0 == ["e.1": "c \"é\"", "e.2": "c \"é\""] }.count == 25)
        #expect(extensions.filter(\.isEmpty).count == 25)
    }

    /// The devices of groups are counted from indexes alone: red while each device of the groups was read.
    @Test(arguments: [["g"], ["g", "h"]])
    func devicesOfGroupsAreCountedWithoutReadingOne(groups: [String]) async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        let queries = try await Self.queries(of: store)
        _ = try await store.enrolledDevices(in: groups)
        let counts = queries.texts.withLock { $0.filter { $0.contains("enrollment_group") } }
        #expect(counts.count == 1)
        for sql in counts {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            let devices = plan.filter { $0.hasPrefix("SCAN e") || $0.hasPrefix("SEARCH e") }
            #expect(devices.count == 1, "\(plan)")
            #expect(devices.allSatisfy { $0.contains("COVERING INDEX enrollment_by_state") }, "\(plan)")
        }
    }

    /// What is counted over all devices reads the index of it, and the status of no device.
    @Test func refusalsAndVersionsAreCountedWithoutDevicesStatuses() async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        let queries = try await Self.queries(of: store)
        _ = try await store.refusals(of: "a", limit: 500)
        _ = try await store.versions(of: "a", limit: 200)
        _ = try await store.refusals(on: "d")
        #expect(queries.texts.withLock { $0.count } == 3)
        for sql in queries.texts.withLock({ $0 }) {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            let tables = plan.filter { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") }
            #expect(!tables.isEmpty && tables.allSatisfy { !$0.contains("status_item") })
            #expect(tables.allSatisfy { $0.hasPrefix("SEARCH") || $0 == "SCAN k" }, "\(plan)")
        }
    }

    /// What a report costs follows from what it says: not from how many devices there are, nor from groups whose rules look
    /// at something else.
    @Test func aReportIsJudgedAtTheSameCostHoweverManyDevicesAndOtherGroupsThereAre() async throws {
        func queries(devices: Int, groups: Int) async throws -> (plain: Int, moving: Int) {
            let directory = try TemporaryDirectory()
            let store = try EmptyStore.open(path: directory.path("store.sqlite"))
            defer { try? store.close() }
            let rule = try GroupRule(parsing: "os-version >= 13")
            _ = try await store.addGroup(named: "new", rule: rule, author: "a", now: Date())
            for number in 0..<groups {
                let other = try GroupRule(parsing: "app com.example.a\(number) or person.email or shard 5% of a")
                _ = try await store.addGroup(named: "g\(number)", rule: other, author: "a", now: Date())
            }
            try await store.write { db in
                for number in 0..<devices {
                    try db.execute(
                        sql: """
                            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                            VALUES (?, 'device', 'enrolled', 'organization', 1, x'07', 1, '{}', 1)
                            """, arguments: ["D\(number)"])
                }
            }
            while try await store.judgeFleet(limit: 200, now: Date()) != nil {}
            let count = Mutex(0)
            try await store.write { db in
                db.trace { event in
                    guard case .statement = event else { return }
                    count.withLock { $0 += 1 }
                }
            }
            func report(_ version: String) async throws -> Int {
                count.withLock { $0 = 0 }
                let update = StatusUpdate(items: [DeviceAudience.version: .string(version)], isFull: false)
                let report = ReceivedReport(
                    received: Date(), sha256: Data(version.utf8), size: 1, isFull: false, document: nil)
                let moves = try await store.recordStatus(update, report: report, device: "D0").moves
                #expect(moves.devices.count == (version == "13" ? 1 : 0))
                return count.withLock { $0 }
            }
            _ = try await report("11")
            return (try await report("12"), try await report("13"))
        }
        let (few, many) = (try await queries(devices: 1, groups: 1), try await queries(devices: 300, groups: 120))
        #expect(few == many, "\(few) \(many)")
        #expect(few.moving <= few.plain + 8)
    }

    /// A17: to judge one device that is due nobody looks through a fleet of those that are.
    @Test func oneDueDeviceIsFoundWithoutLookingAtOthers() async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        try await store.write { db in
            for number in 0..<3 {
                try db.execute(
                    sql: """
                        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES (:key, 'device', 'enrolled', 'organization', 1, x'07', 1, '{}', 1);
                        INSERT INTO group_rule_due VALUES (:key, '');
                        """, arguments: ["key": "D\(number)"])
            }
        }
        let queries = try await Self.queries(of: store)
        try await store.write { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.contains("SELECT") else { return }
                queries.texts.withLock { $0.append(statement.expandedSQL) }
            }
        }
        #expect(try await store.judgeDue(of: "D1", limit: 1, now: Date()) != nil)
        let due = queries.texts.withLock { $0.filter { $0.contains("FROM group_rule_due") } }
        #expect(due.count == 2)
        for sql in due {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            let tables = plan.filter { $0.contains("group_rule_due") }
            #expect(!tables.isEmpty && tables.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        }
        #expect(try await store.judgeDue(of: "D1", limit: 1, now: Date()) == nil)
        #expect(try await store.judgeDue(of: nil, limit: 9, now: Date()) != nil)
        #expect(try await store.judgeDue(of: nil, limit: 9, now: Date()) == nil)
    }

    /// A device is found by its name or serial number in their indexes, whatever else is asked of it.
    ///
    /// Red where names were read of all devices, and where of a group all members were read.
    @Test func aDeviceIsFoundByItsNameWithoutLookingAtOthers() async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        try await store.write { db in
            for number in 0..<3 {
                try db.execute(
                    sql: """
                        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES (?, 'device', 'enrolled', 'organization', 1, x'07', 1, ?, 1)
                        """,
                    arguments: ["D\(number)", #"{"deviceName":"name \#(number)","serialNumber":"S\#(number)"}"#])
            }
        }
        let queries = try await Self.queries(of: store)
        for name in ["name 1", "S1", "D1", "id:D1", "serial:S1"] {
            let found = try await store.devices(DeviceFilter(named: name), PageRequest()).items
            #expect(found.map(\.id) == ["D1"])
            var narrowed = DeviceFilter(group: "g", serialNumber: "S1", named: name)
            narrowed.isRefusing = true
            #expect(try await store.devices(narrowed, PageRequest()).items.isEmpty)
        }
        let texts = queries.texts.withLock { $0.filter { $0.contains("FROM enrollment e") } }
        #expect(texts.count == 10)
        for sql in texts {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            // A part of the statement is gone through, which holds at most a page.
            let scanned = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("subquery") }
            let unbound = plan.filter { $0.hasPrefix("SEARCH") && !$0.contains("=?") }
            #expect(scanned.isEmpty && unbound.isEmpty && plan.contains { $0.hasPrefix("SEARCH e ") }, "\(plan)")
        }
    }

    /// The sums of feedback are read from running sums, interval by interval, and no life is.
    ///
    /// Red where an answer sums the lives: a week of a large fleet takes longer than a read may.
    @Test func sumsOfFeedbackReadNoLife() async throws {
        let directory = try TemporaryDirectory()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        let queries = try await StoreReaders.$current.withValue(.administrators) {
            try await Self.queries(of: store)
        }
        _ = try await store.feedbackTotals(
            of: "a", since: Date(timeIntervalSince1970: 0), sinceVersion: nil, naming: ["k"], keys: 100,
            dictionaries: 10)
        _ = try await store.feedbackSteps(
            of: "a", counting: "k", seconds: 3_600, since: Date(timeIntervalSince1970: 0), intervals: 9,
            dictionaries: 10)
        let sums = queries.texts.withLock { $0.filter { $0.contains("feedback") } }
        #expect(sums.count >= 6)
        for sql in sums {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.hasPrefix("SEARCH i ") } || sql.contains("left_out"), "\(plan)")
            #expect(plan.allSatisfy { !$0.hasPrefix("SCAN i") && !$0.hasPrefix("SCAN s") }, "\(plan)")
            #expect(!sql.contains("app_feedback") && !sql.contains("feedback_number"), "\(sql)")
        }
    }

    private static func queries(of store: SQLiteStore) async throws -> Queries {
        let queries = Queries()
        try await store.read { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.contains("SELECT") else { return }
                queries.count.withLock { $0 += 1 }
                queries.texts.withLock { $0.append(statement.expandedSQL) }
            }
        }
        return queries
    }
}

private final class Queries: Sendable {
    let count = Mutex(0)
    let texts = Mutex<[String]>([])
}
