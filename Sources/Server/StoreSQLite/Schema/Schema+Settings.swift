import GRDB
import Management

extension Schema {
    /// Settings with their versions and the files that devices download of them, and which groups are assigned them; and
    /// of each device which of their types it takes.
    ///
    /// Of devices that are there already, the last reports say what they take.
    static func settings(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE setting (
                    kind TEXT NOT NULL, name TEXT NOT NULL, current INTEGER NOT NULL, PRIMARY KEY (kind, name)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE setting_version (
                    kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, payload TEXT NOT NULL,
                    summary TEXT NOT NULL, author TEXT NOT NULL, created INTEGER NOT NULL,
                    PRIMARY KEY (kind, name, version),
                    FOREIGN KEY (kind, name) REFERENCES setting(kind, name) ON DELETE CASCADE
                ) STRICT;
                CREATE TABLE setting_file (
                    kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
                    sha256 TEXT NOT NULL REFERENCES file(sha256), PRIMARY KEY (kind, name, version, sha256),
                    FOREIGN KEY (kind, name, version) REFERENCES setting_version(kind, name, version) ON DELETE CASCADE
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX setting_file_by_file ON setting_file(sha256);
                CREATE TABLE setting_number (
                    kind TEXT NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (kind, name)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE setting_assignment (
                    group_name TEXT NOT NULL REFERENCES device_group(name), kind TEXT NOT NULL, setting TEXT NOT NULL,
                    priority INTEGER NOT NULL, assigned INTEGER NOT NULL, position INTEGER NOT NULL UNIQUE,
                    PRIMARY KEY (group_name, kind, setting),
                    FOREIGN KEY (kind, setting) REFERENCES setting(kind, name)
                ) STRICT;
                CREATE INDEX setting_assignment_by_setting ON setting_assignment(kind, setting, group_name);
                ALTER TABLE enrollment ADD COLUMN taken_types TEXT;
                UPDATE enrollment SET taken_types = (
                    SELECT json_group_array(t.value) FROM status_item s, json_each(
                        CASE WHEN json_valid(CAST(s.value AS TEXT)) THEN CAST(s.value AS TEXT) ELSE '{}' END,
                        '$."supported-payloads".declarations.configurations') t
                    WHERE s.enrollment = enrollment.key AND s.name = 'management.client-capabilities'
                        AND t.value = 'com.apple.configuration.security.certificate')
                WHERE EXISTS (SELECT 1 FROM status_item s
                    WHERE s.enrollment = enrollment.key AND s.name = 'management.client-capabilities');
                """)
    }

    /// The types that `settings` has read out of the last reports.
    private static let firstSettingTypes: Set = ["com.apple.configuration.security.certificate"]

    /// Has a server with another kind of setting read its types out of the last reports, once for each type.
    ///
    /// Each type is a migration by its name, so that a kind needs none of its own.
    static func registerSettingTypes(_ migrator: inout DatabaseMigrator) {
        for type in SettingKind.types.subtracting(firstSettingTypes).sorted() {
            migrator.registerMigration("setting-type-\(type)") { db in try learn(type, db) }
        }
    }

    private static func learn(_ type: String, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE enrollment SET taken_types = json_insert(COALESCE(taken_types, '[]'), '$[#]', :type)
                WHERE NOT EXISTS (SELECT 1 FROM json_each(COALESCE(enrollment.taken_types, '[]')) WHERE value = :type)
                    AND EXISTS (SELECT 1 FROM status_item s, json_each(
                        CASE WHEN json_valid(CAST(s.value AS TEXT)) THEN CAST(s.value AS TEXT) ELSE '{}' END,
                        '$."supported-payloads".declarations.configurations') t
                    WHERE s.enrollment = enrollment.key AND s.name = 'management.client-capabilities'
                        AND t.value = :type);
                """, arguments: ["type": type])
    }
}
