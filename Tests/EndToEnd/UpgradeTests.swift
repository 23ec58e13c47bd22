import Foundation
import StoreSQLite
import Testing

/// What docs/upgrading.md promises, with the real program on the data directory of an older one.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct UpgradeTests {
    private static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }

    /// A database of an older schema is brought up to date by the start alone, with all that was in it.
    @Test(
        .enabled(if: hasPython, "what an older program would have written is written by python3"),
        arguments: ["3", "people", "fleet"])
    func anOlderDatabaseIsBroughtUpToDateByTheStart(migration: String) async throws {
        try await Road.with { road in
            try await Self.makeOlder(migration, road)
            try await road.startServer()
            let input = "\(road.password)\n"
            try await road.martlet(
                "login", "--server", road.url, "--ca-file", road.authority, "--password-stdin", input: input)
            #expect(try await road.martlet("group", "list").contains("teachers"))
            #expect(try await road.martlet("app", "list").contains(Road.app))
            try await road.configure("After the upgrade")
            try await road.assign()
            let checked = try await road.run("martlet-server", ["check", "--data-directory", road.serverDirectory])
            #expect(checked.status == 0, "\(checked.text)")
            #expect(try await road.martlet("audit", "verify").contains("each follows"))
        }
    }

    /// A database that a newer program has changed is not opened, and nothing in it is.
    @Test(.enabled(if: hasPython, "a migration of the future is written by python3"))
    func aNewerDatabaseIsRefusedAndTheBackupLeadsBack() async throws {
        try await Road.with { road in
            try await road.configure("Before the upgrade")
            let backup = road.home.appending(path: "before-the-upgrade").path
            let data = ["--data-directory", road.serverDirectory]
            #expect(try await road.run("martlet-server", ["backup", backup] + data).status == 0)
            #expect(try await road.run("martlet-server", ["check", backup] + data).status == 0)
            try await road.martlet("group", "create", "made-after-the-backup")
            try await road.stop(road.server)
            try await Self.python("store.execute(\"INSERT INTO grdb_migrations VALUES ('of-the-future')\")", road)
            let refused = try await road.run("martlet-server", ["run", "--port", "0"] + data)
            #expect(refused.status > 0 && refused.text.contains("newer"), "\(refused.status): \(refused.text)")

            let away = road.home.appending(path: "away")
            try FileManager.default.moveItem(atPath: road.serverDirectory, toPath: away.path)
            let restored = try await road.run("martlet-server", ["restore", backup] + data)
            #expect(restored.status == 0, "\(restored.text)")
            try FileManager.default.copyItem(
                atPath: away.appending(path: "master.key").path, toPath: road.serverDirectory + "/master.key")
            try await road.startServer()
            let groups = try await road.martlet("group", "list")
            #expect(groups.contains("teachers") && !groups.contains("made-after-the-backup"))
            #expect(try await road.martlet("configuration", "show", Road.app, "default").contains("Before the upgrade"))
        }
    }

    /// Replaces the database by one of an older schema, with what the newer one has of the tables that both know.
    private static func makeOlder(_ migration: String, _ road: Road) async throws {
        try await road.stop(road.server)
        let files = FileManager.default
        for name in ["martlet.sqlite", "martlet.sqlite-wal", "martlet.sqlite-shm"] {
            let path = road.serverDirectory + "/" + name
            if files.fileExists(atPath: path) {
                try files.moveItem(atPath: path, toPath: road.home.path + "/new-" + name)
            }
        }
        try SQLiteStore.makeFile(path: road.serverDirectory + "/martlet.sqlite", lastMigration: migration)
        try await python(
            """
            store.execute("ATTACH 'new-martlet.sqlite' AS new")
            for table in ["administrator", "device_group", "app"]:
                both = [set(r[1] for r in store.execute(f"PRAGMA {place}.table_info({table})")) for place in ("main", "new")]
                names = ", ".join(sorted(both[0] & both[1]))
                store.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM new.{table}")
            """, road)
    }

    private static func python(_ statements: String, _ road: Road) async throws {
        let program =
            "import sqlite3\nstore = sqlite3.connect('server/martlet.sqlite')\n\(statements)\nstore.commit()\n"
        try Data(program.utf8).write(to: road.home.appending(path: "change.py"))
        try await road.shell("python3 change.py")
    }
}
