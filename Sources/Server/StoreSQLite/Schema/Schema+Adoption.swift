import GRDB

extension Schema {
    /// Which versions of configurations are on devices, how many of each there are, and were by the hour.
    ///
    /// Of devices that are there already their next reports say it.
    static func adoption(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE configuration_on_device (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    digest TEXT NOT NULL, configuration TEXT NOT NULL, version INTEGER NOT NULL,
                    PRIMARY KEY (enrollment, app)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE configuration_count (
                    app TEXT NOT NULL, configuration TEXT NOT NULL, version INTEGER NOT NULL, devices INTEGER NOT NULL,
                    PRIMARY KEY (app, configuration, version)
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER configuration_came AFTER INSERT ON configuration_on_device BEGIN
                    INSERT INTO configuration_count VALUES (new.app, new.configuration, new.version, 1)
                    ON CONFLICT (app, configuration, version) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER configuration_went AFTER DELETE ON configuration_on_device BEGIN
                    UPDATE configuration_count SET devices = devices - 1
                        WHERE app = old.app AND configuration = old.configuration AND version = old.version;
                    DELETE FROM configuration_count WHERE app = old.app AND configuration = old.configuration
                        AND version = old.version AND devices = 0;
                END;
                CREATE TABLE configuration_adoption (
                    app TEXT NOT NULL, configuration TEXT NOT NULL, version INTEGER NOT NULL, hour INTEGER NOT NULL,
                    devices INTEGER NOT NULL, PRIMARY KEY (app, configuration, version, hour)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX configuration_adoption_by_hour ON configuration_adoption(hour);
                """)
    }

    /// The same of the configurations of extensions, and of the app itself under the empty name.
    static func adoptionOfExtensions(_ db: Database) throws {
        try db.execute(
            sql: """
                DROP TRIGGER configuration_came;
                DROP TRIGGER configuration_went;
                DROP INDEX configuration_adoption_by_hour;
                ALTER TABLE configuration_on_device RENAME TO configuration_on_device_before;
                ALTER TABLE configuration_count RENAME TO configuration_count_before;
                ALTER TABLE configuration_adoption RENAME TO configuration_adoption_before;
                CREATE TABLE configuration_on_device (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    extension TEXT NOT NULL, digest TEXT NOT NULL, configuration TEXT NOT NULL,
                    version INTEGER NOT NULL, PRIMARY KEY (enrollment, app, extension)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE configuration_count (
                    app TEXT NOT NULL, configuration TEXT NOT NULL, extension TEXT NOT NULL, version INTEGER NOT NULL,
                    devices INTEGER NOT NULL, PRIMARY KEY (app, configuration, extension, version)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE configuration_adoption (
                    app TEXT NOT NULL, configuration TEXT NOT NULL, extension TEXT NOT NULL, version INTEGER NOT NULL,
                    hour INTEGER NOT NULL, devices INTEGER NOT NULL,
                    PRIMARY KEY (app, configuration, extension, version, hour)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO configuration_on_device
                    SELECT enrollment, app, '', digest, configuration, version FROM configuration_on_device_before;
                INSERT INTO configuration_count
                    SELECT app, configuration, '', version, devices FROM configuration_count_before;
                INSERT INTO configuration_adoption
                    SELECT app, configuration, '', version, hour, devices FROM configuration_adoption_before;
                DROP TABLE configuration_on_device_before;
                DROP TABLE configuration_count_before;
                DROP TABLE configuration_adoption_before;
                CREATE TRIGGER configuration_came AFTER INSERT ON configuration_on_device BEGIN
                    INSERT INTO configuration_count
                        VALUES (new.app, new.configuration, new.extension, new.version, 1)
                    ON CONFLICT (app, configuration, extension, version) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER configuration_went AFTER DELETE ON configuration_on_device BEGIN
                    UPDATE configuration_count SET devices = devices - 1 WHERE app = old.app
                        AND configuration = old.configuration AND extension = old.extension AND version = old.version;
                    DELETE FROM configuration_count WHERE app = old.app AND configuration = old.configuration
                        AND extension = old.extension AND version = old.version AND devices = 0;
                END;
                CREATE INDEX configuration_adoption_by_hour ON configuration_adoption(hour);
                """)
    }
}
