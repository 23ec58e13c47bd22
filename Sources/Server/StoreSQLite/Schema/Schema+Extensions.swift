import GRDB

extension Schema {
    /// Which of an app's configurations its extensions get, with the assignment that gives the app.
    static func extensionConfigurations(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE extension_configuration (
                    group_name TEXT NOT NULL, app TEXT NOT NULL, extension TEXT NOT NULL, configuration TEXT NOT NULL,
                    PRIMARY KEY (group_name, app, extension),
                    FOREIGN KEY (group_name, app) REFERENCES assignment(group_name, app) ON DELETE CASCADE,
                    FOREIGN KEY (app, configuration) REFERENCES configuration(app, name)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX extension_configuration_by_configuration
                    ON extension_configuration(app, configuration);
                """)
    }
}
