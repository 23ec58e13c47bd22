import Foundation
import GRDB

/// The tables, and the way to them from every released version: forward only, never edited once released.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: version1)
        migrator.registerMigration("2", migrate: version2)
        migrator.registerMigration("3", migrate: version3)
        migrator.registerMigration("acme-1", migrate: acme1)
        migrator.registerMigration("4", migrate: version4)
        migrator.registerMigration("identities-1", migrate: identities1)
        migrator.registerMigration("people", migrate: people)
        migrator.registerMigration("renewals", migrate: renewals)
        migrator.registerMigration("revocation", migrate: revocation)
        migrator.registerMigration("audit-retention", migrate: auditRetention)
        migrator.registerMigration("enrollment-chips", migrate: enrollmentChips)
        migrator.registerMigration("app-sources", migrate: appSources)
        migrator.registerMigration("enrollment-kinds", migrate: enrollmentKinds)
        migrator.registerMigration("extension-configurations", migrate: extensionConfigurations)
        migrator.registerMigration("account-access", migrate: accountAccess)
        migrator.registerMigration("specifications", migrate: specifications)
        migrator.registerMigration("fleet", migrate: fleet)
        migrator.registerMigration("roles", migrate: roles)
        migrator.registerMigration("expiring-commands", migrate: expiringCommands)
        migrator.registerMigration("specifications-of-packages", migrate: specificationsOfPackages)
        migrator.registerMigration("assignment-priorities", migrate: assignmentPriorities)
        migrator.registerMigration("overview", migrate: overview)
        migrator.registerMigration("group-rules", migrate: groupRules)
        migrator.registerMigration("api-tokens", migrate: apiTokens)
        migrator.registerMigration("external-identities", migrate: externalIdentities)
        migrator.registerMigration("requests", migrate: requests)
        migrator.registerMigration("webhooks", migrate: webhooks)
        migrator.registerMigration("jobs", migrate: jobs)
        migrator.registerMigration("adoption", migrate: adoption)
        migrator.registerMigration("adoption-of-extensions", migrate: adoptionOfExtensions)
        migrator.registerMigration("device-history", migrate: deviceHistory)
        migrator.registerMigration("removed-groups", migrate: removedGroups)
        migrator.registerMigration("losses-due", migrate: lossesDue)
        migrator.registerMigration("apple-push", migrate: applePush)
        migrator.registerMigration("app-states", migrate: appStates)
        migrator.registerMigration("sweeping", migrate: sweeping)
        migrator.registerMigration("audit-blocks", migrate: auditBlocks)
        migrator.registerMigration("group-members", migrate: groupMembers)
        migrator.registerMigration("legacy-enrollments", migrate: legacyEnrollments)
        migrator.registerMigration("enrollment-bounds", migrate: enrollmentBounds)
        migrator.registerMigration("password-ends", migrate: passwordEnds)
        migrator.registerMigration("eras", migrate: eras)
        migrator.registerMigration("believed-time", migrate: believedTime)
        migrator.registerMigration("escrowed-tokens", migrate: escrowedTokens)
        migrator.registerMigration("settings", migrate: settings)
        migrator.registerMigration("devices-by-state", migrate: devicesByState)
        migrator.registerMigration("assignment-delivery", migrate: assignmentDelivery)
        migrator.registerMigration("app-feedback", migrate: feedback)
        migrator.registerMigration("devices-by-name", migrate: devicesByName)
        migrator.registerMigration("app-commands", migrate: appCommands)
        migrator.registerMigration("feedback-by-end", migrate: feedbackByEnd)
        migrator.registerMigration("device-attributes", migrate: deviceAttributes)
        migrator.registerMigration("feedback-of-webhooks", migrate: feedbackOfWebhooks)
        migrator.registerMigration("feedback-metrics", migrate: feedbackMetrics)
        migrator.registerMigration("feedback-versions", migrate: feedbackVersions)
        migrator.registerMigration("feedback-sums", migrate: feedbackSums)
        migrator.registerMigration("alerts", migrate: alerts)
        migrator.registerMigration("secret-values-of-people", migrate: secretValuesOfPeople)
        migrator.registerMigration("withheld-apps", migrate: withheldApps)
        registerSettingTypes(&migrator)
        migrator.registerMigration("rejected-apps", migrate: rejectedApps)
        migrator.registerMigration("earlier-events-of-webhooks", migrate: earlierEventsOfWebhooks)
        return migrator
    }

    /// Times are whole seconds since 1970; digests are bytes, except a file's, which stands in URLs.
    private static func version1(_ db: Database) throws {
        for statement in [
            administrators, groups, apps, assignments, enrollmentCodes, enrollments, commands, snapshots, status,
        ] {
            try db.execute(sql: statement)
        }
    }

    /// Configurations that are made again under an old name count on from where they were.
    private static func version2(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE configuration_number (
                    app TEXT NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (app, name)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO configuration_number SELECT app, name, current FROM configuration;
                """)
    }

    /// Commands that are taken back when their time is over.
    private static func expiringCommands(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE command ADD COLUMN expires INTEGER;
                CREATE INDEX command_expiring ON command(expires) WHERE expires IS NOT NULL AND finished IS NULL;
                """)
    }

    private static let administrators = """
        CREATE TABLE administrator (
            name TEXT PRIMARY KEY, password_hash TEXT NOT NULL, must_change INTEGER NOT NULL, created INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE session (
            digest BLOB PRIMARY KEY,
            administrator TEXT NOT NULL REFERENCES administrator(name) ON DELETE CASCADE,
            opened INTEGER NOT NULL, expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX session_by_administrator ON session(administrator, opened);
        """

    private static let groups = """
        CREATE TABLE device_group (
            name TEXT PRIMARY KEY, created INTEGER NOT NULL, changed INTEGER NOT NULL
        ) STRICT;
        """

    private static let apps = """
        CREATE TABLE app (
            bundle_identifier TEXT PRIMARY KEY, name TEXT NOT NULL, team_identifier TEXT, revision INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE file (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE configuration (
            app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE, name TEXT NOT NULL,
            current INTEGER NOT NULL, PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE configuration_version (
            app TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, encoding TEXT NOT NULL,
            size INTEGER NOT NULL, sha256 TEXT NOT NULL REFERENCES file(sha256), author TEXT NOT NULL,
            created INTEGER NOT NULL, revert_of INTEGER,
            PRIMARY KEY (app, name, version),
            FOREIGN KEY (app, name) REFERENCES configuration(app, name) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX configuration_version_by_file ON configuration_version(sha256);
        """

    private static let assignments = """
        CREATE TABLE assignment (
            group_name TEXT NOT NULL REFERENCES device_group(name),
            app TEXT NOT NULL REFERENCES app(bundle_identifier), configuration TEXT,
            assigned INTEGER NOT NULL, position INTEGER NOT NULL UNIQUE,
            PRIMARY KEY (group_name, app),
            FOREIGN KEY (app, configuration) REFERENCES configuration(app, name)
        ) STRICT;
        CREATE INDEX assignment_by_configuration ON assignment(app, configuration);
        """

    private static let enrollmentCodes = """
        CREATE TABLE enrollment_code (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE, group_name TEXT NOT NULL,
            ownership TEXT NOT NULL, supervised INTEGER NOT NULL, legacy INTEGER NOT NULL, author TEXT NOT NULL,
            created INTEGER NOT NULL, expires INTEGER NOT NULL, state TEXT NOT NULL, transaction_id TEXT, key_digest BLOB
        ) STRICT;
        CREATE TABLE certificate (
            fingerprint BLOB PRIMARY KEY, serial TEXT NOT NULL UNIQUE, der BLOB NOT NULL,
            code TEXT REFERENCES enrollment_code(id) ON DELETE SET NULL, key_digest BLOB NOT NULL,
            issued INTEGER NOT NULL, not_after INTEGER NOT NULL, enrollment TEXT
        ) STRICT;
        CREATE INDEX certificate_by_code ON certificate(code);
        """

    private static let enrollments = """
        CREATE TABLE enrollment (
            key TEXT PRIMARY KEY, kind TEXT NOT NULL, parent TEXT REFERENCES enrollment(key) ON DELETE CASCADE,
            state TEXT NOT NULL, ownership TEXT NOT NULL, supervised INTEGER NOT NULL, fingerprint BLOB NOT NULL,
            epoch INTEGER NOT NULL, facts TEXT NOT NULL, enrolled INTEGER NOT NULL, last_seen INTEGER,
            push_token BLOB, push_magic TEXT, unlock_token BLOB, awaiting INTEGER NOT NULL DEFAULT 0,
            told_token TEXT, told_sequence INTEGER NOT NULL DEFAULT 0, items_token TEXT
        ) STRICT;
        CREATE INDEX enrollment_by_parent ON enrollment(parent) WHERE parent IS NOT NULL;
        CREATE TABLE enrollment_group (
            enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE,
            group_name TEXT NOT NULL REFERENCES device_group(name), PRIMARY KEY (enrollment, group_name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX enrollment_by_group ON enrollment_group(group_name, enrollment);
        """

    private static let commands = """
        CREATE TABLE command (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, uuid TEXT NOT NULL,
            request_type TEXT NOT NULL, document BLOB NOT NULL, state TEXT NOT NULL, deferred INTEGER NOT NULL,
            author TEXT NOT NULL, created INTEGER NOT NULL, sent INTEGER, finished INTEGER, result BLOB,
            too_large INTEGER NOT NULL DEFAULT 0, UNIQUE (enrollment, uuid)
        ) STRICT;
        CREATE INDEX command_open ON command(enrollment, id) WHERE finished IS NULL;
        CREATE INDEX command_by_enrollment ON command(enrollment, id);
        CREATE INDEX command_finished ON command(finished) WHERE finished IS NOT NULL;
        """

    private static let snapshots = """
        CREATE TABLE snapshot (token TEXT PRIMARY KEY, document BLOB NOT NULL, created INTEGER NOT NULL) STRICT;
        CREATE TABLE snapshot_file (
            token TEXT NOT NULL REFERENCES snapshot(token) ON DELETE CASCADE, sha256 TEXT NOT NULL REFERENCES file(sha256),
            PRIMARY KEY (token, sha256)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX snapshot_by_file ON snapshot_file(sha256);
        CREATE TABLE snapshot_holder (
            token TEXT NOT NULL REFERENCES snapshot(token) ON DELETE CASCADE, groups TEXT NOT NULL,
            superseded INTEGER, PRIMARY KEY (token, groups)
        ) STRICT, WITHOUT ROWID;
        """

    private static let status = """
        CREATE TABLE status_item (
            enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, name TEXT NOT NULL,
            value BLOB NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (enrollment, name)
        ) STRICT;
        CREATE TABLE status_report (
            id INTEGER PRIMARY KEY, enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE,
            received INTEGER NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL, is_full INTEGER NOT NULL,
            document BLOB
        ) STRICT;
        CREATE INDEX status_report_by_enrollment ON status_report(enrollment, id);
        """
}

extension Row {
    /// A time kept as whole seconds.
    func date(_ column: String) -> Foundation.Date {
        Foundation.Date(timeIntervalSince1970: TimeInterval(self[column] as Int64))
    }

    func optionalDate(_ column: String) -> Foundation.Date? {
        (self[column] as Int64?).map { Foundation.Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// A word of a closed set; an unknown one means that a newer server wrote the file.
    func word<Word: RawRepresentable<String>>(_ column: String) throws -> Word {
        guard let word = Word(rawValue: self[column]) else { throw UnknownWord(column: column) }
        return word
    }
}

/// A column holds a word this version does not know.
struct UnknownWord: Error {
    let column: String
}

extension Foundation.Date {
    /// As it is kept.
    var seconds: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
