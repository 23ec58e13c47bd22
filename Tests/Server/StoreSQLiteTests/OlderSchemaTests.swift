import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import StoreSQLite
import Testing

/// Files of older servers: what stands in them means the same afterwards.
struct OlderSchemaTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// Before identities were renewed: who was enrolled is due at two thirds of what its certificate lives.
    @Test func whoWasEnrolledBeforeIsRenewedLikeEverybody() async throws {
        try SQLiteStore.makeFile(path: path, lastMigration: "people")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO enrollment_code VALUES (1, 'c', X'01', 'g', 'organization', 0, 0, 'a', 0, 1, 'spent', 't', X'02');
                    INSERT INTO certificate VALUES (X'0A', '0a', X'00', 'c', X'02', 0, 12000, 'D1');
                    INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES ('D1', 'device', 'enrolled', 'organization', 0, X'0A', 1, '{}', 0),
                        ('D2', 'device', 'withdrawn', 'organization', 0, X'0B', 1, '{}', 0);
                    """)
        }
        try queue.close()
        let store = try SQLiteStore(path: path)
        let due = try #require(await store.device("D1")?.renewal?.due).timeIntervalSince1970
        #expect((7_000...8_000).contains(due))
        #expect(try await store.device("D2")?.renewal == nil)
        #expect(try await store.enrollmentCodes(PageRequest()).items.map(\.renews) == [nil])
        try store.close()
    }

    /// Before there were people: secrets keep their value for all, and a configuration that looks like a template stays
    /// what its administrator set.
    @Test func secretsAndConfigurationsFromBeforePeopleStayWhatTheyWere() async throws {
        try SQLiteStore.makeFile(path: path, lastMigration: "identities-1")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO device_group VALUES ('g', 1, 1);
                    INSERT INTO app VALUES ('a.b', 'A', NULL, 0);
                    INSERT INTO file VALUES ('s1', X'00');
                    INSERT INTO configuration VALUES ('a.b', 'main', 1);
                    INSERT INTO configuration_version VALUES ('a.b', 'main', 1, 'xml', 1, 's1', 'admin', 1, NULL);
                    INSERT INTO assignment VALUES ('g', 'a.b', 'main', 1, 1);
                    INSERT INTO secret VALUES ('pin', 'password', 2);
                    INSERT INTO secret_version VALUES ('pin', 1, 'admin', 1, '{}', NULL, NULL, NULL);
                    INSERT INTO secret_version VALUES ('pin', 2, 'admin', 1, '{}', 'k', X'01', X'02');
                    INSERT INTO secret_assignment VALUES ('g', 'a.b', '', 'password', 'login', 'pin', 1, 1);
                    """)
        }
        try queue.close()
        let store = try SQLiteStore(path: path)
        let entry = try #require(await store.assignmentSnapshot(groups: ["g"]).effective.first)
        #expect(entry.secrets.map(\.version) == [2])
        #expect(entry.configuration?.sha256 == "s1" && entry.configuration?.variables == nil)
        #expect(entry.needs.isEmpty, "its devices share a manifest as before")
        let kept = try await store.secretsToRewrap(under: "other", limit: 10)
        #expect(kept.map(\.version) == [2])
        try store.close()
    }

    /// Before there were alerts: a problem that stands counts as recorded, so an upgrade sends no webhook of it.
    @Test func problemsFromBeforeAlertsAreNotNew() async throws {
        try SQLiteStore.makeFile(path: path, lastMigration: "feedback-sums")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO app (bundle_identifier, name, revision) VALUES ('a.b', 'A', 0), ('a.c', 'C', 0);
                    INSERT INTO enrollment
                        (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES ('D1', 'device', 'enrolled', 'organization', 0, X'0A', 1, '{}', 0);
                    INSERT INTO app_state VALUES
                        ('D1', 'a.b', 'unapplied'), ('D1', 'a.c', 'decoded'), ('D1', 'foreign', 'failed');
                    """)
        }
        try queue.close()
        try SQLiteStore(path: path).close()
        let upgraded = try DatabaseQueue(path: path)
        let rows = try await upgraded.read { db in
            try String.fetchAll(db, sql: "SELECT app || ' ' || kind || ' ' || stands FROM app_alert")
        }
        #expect(rows == ["a.b refused 1"])
        try upgraded.close()
    }

    /// Before apps with invalid declarations counted: such a problem counts as recorded too, also one that was over.
    ///
    /// Red where the row of the problem that was over stayed as it was: the next report sends a webhook of it.
    @Test func invalidDeclarationsFromBeforeTheyCountedAreNotNew() async throws {
        try SQLiteStore.makeFile(path: path, lastMigration: "withheld-apps")
        let invalid = DeclarationStatuses(
            configurations: ["a.b", "a.c"].map { app in
                DeclarationStatus(
                    identifier: "martlet.app.\(app)", serverToken: "1", active: true,
                    valid: app == "a.b" ? .invalid : .valid)
            })
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO app (bundle_identifier, name, revision) VALUES ('a.b', 'A', 0), ('a.c', 'C', 0);
                    INSERT INTO enrollment
                        (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        VALUES ('D1', 'device', 'enrolled', 'organization', 0, X'0A', 1, '{}', 0);
                    INSERT INTO app_alert VALUES ('D1', 'a.b', 'failed', 7, 0);
                    """)
            try db.execute(
                sql: "INSERT INTO status_item (enrollment, name, value, updated) VALUES ('D1', ?, ?, 1)",
                arguments: [DeclarationStatuses.name, invalid.value.encoded()])
        }
        try queue.close()
        try SQLiteStore(path: path).close()
        let upgraded = try DatabaseQueue(path: path)
        let rows = try await upgraded.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT r.app || ' ' || a.kind || ' ' || a.recorded || ' ' || a.stands
                    FROM app_rejected r JOIN app_alert a ON a.enrollment = r.enrollment AND a.app = r.app
                    """)
        }
        #expect(rows == ["a.b failed 7 1"])
        try upgraded.close()
    }
}
