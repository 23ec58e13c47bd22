import GRDB

extension Schema {
    /// Which of several assignments of an app counts, and whether devices must have the app.
    ///
    /// Those that are there already have no priority, and leave the other to the app's source, as they did.
    static func assignmentPriorities(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE assignment ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE assignment ADD COLUMN install TEXT;
                """)
    }

    /// Rules of groups: what each looks at, the device up to which the fleet was judged by one that was set, and the
    /// devices that wait to be judged because something changed of what rules look at (all of it where nothing is named).
    static func groupRules(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE device_group ADD COLUMN rule TEXT;
                ALTER TABLE device_group ADD COLUMN rule_revision INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE device_group ADD COLUMN rule_judged TEXT;
                CREATE INDEX device_group_with_rule ON device_group(name) WHERE rule IS NOT NULL;
                CREATE INDEX device_group_judging ON device_group(name) WHERE rule_judged IS NOT NULL;
                CREATE TABLE group_rule_fact (
                    fact TEXT NOT NULL, group_name TEXT NOT NULL REFERENCES device_group(name) ON DELETE CASCADE,
                    PRIMARY KEY (fact, group_name)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX group_rule_fact_by_group ON group_rule_fact(group_name);
                CREATE TABLE group_rule_due (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, fact TEXT NOT NULL,
                    PRIMARY KEY (enrollment, fact)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// How many devices are in each group, so that nobody counts them.
    static func groupMembers(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE device_group ADD COLUMN devices INTEGER NOT NULL DEFAULT 0;
                UPDATE device_group SET devices = (SELECT COUNT(*) FROM enrollment_group WHERE group_name = name);
                CREATE TRIGGER group_gained_device AFTER INSERT ON enrollment_group BEGIN
                    UPDATE device_group SET devices = devices + 1 WHERE name = new.group_name;
                END;
                CREATE TRIGGER group_lost_device AFTER DELETE ON enrollment_group BEGIN
                    UPDATE device_group SET devices = devices - 1 WHERE name = old.group_name;
                END;
                """)
    }

    /// When a group was removed that some devices are still to leave.
    static func removedGroups(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE device_group ADD COLUMN removed INTEGER;
                CREATE INDEX device_group_removed ON device_group(name) WHERE removed IS NOT NULL;
                """)
    }
}
