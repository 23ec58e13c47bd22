import Foundation
import Testing
import Waiting

/// What an operator reads where a disk or the database's file refuses: what happened, to which file, and what to do.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct RefusingDiskRoadTests {
    private static let commands = [["reset-admin-password"], ["forget-secrets"]]

    /// Red where each reason was "the database cannot be opened; stop the server first".
    @Test func aCommandOnFilesSaysThatAServerRuns() async throws {
        try await Road.with { road in
            for command in Self.commands {
                let refused = try await Self.operate(road, command)
                #expect(refused.status == 1 && refused.text.contains("another process uses the store"))
                #expect(refused.text.contains("stop the server first"), "\(refused.text)")
            }
        }
    }

    /// Red where SQLite's words and its statement were printed, or a server that does not run was to be stopped.
    @Test func aDamagedDatabaseIsSaidByEachCommand() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            try await road.shell("rm -f server/martlet.sqlite-wal server/martlet.sqlite-shm")
            try await road.shell("dd if=/dev/zero of=server/martlet.sqlite bs=100 count=1 conv=notrunc 2>/dev/null")
            let backup = road.home.path + "/backup"
            for command in Self.commands + [["backup", backup], ["check"], ["rekey"], ["run", "--port", "0"]] {
                let refused = try await Self.operate(road, command)
                #expect(refused.status == 1, "\(command)")
                let place = "the database file \(road.serverDirectory)/martlet.sqlite is damaged"
                for words in [place, "martlet-server restore", "Backups"] {
                    #expect(refused.text.contains(words), "\(command): \(refused.text)")
                }
                for words in ["SQLite error", "PRAGMA", "SELECT", "another process"] {
                    #expect(!refused.text.contains(words), "\(command): \(refused.text)")
                }
            }
            #expect(!FileManager.default.fileExists(atPath: backup + ".partial"))
        }
    }

    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func aFullDiskIsSaidByEachCommand() async throws {
        try await Road.with { road in
            try await RoadDisk.small.holding(road) {
                try await road.stop(try road.server)
                try await RoadDisk.fill(road)
                let refused = try await Self.operate(road, ["reset-admin-password"])
                #expect(refused.status == 1 && refused.text.contains("the disk of the database is full"))
                #expect(refused.text.contains(road.serverDirectory + "/martlet.sqlite"), "\(refused.text)")
                #expect(!refused.text.contains("stop the server"), "\(refused.text)")
                #expect(refused.text.contains("nothing was changed"), "\(refused.text)")
                try FileManager.default.removeItem(atPath: road.serverDirectory + "/old-backup")
                let done = try await Self.operate(road, ["reset-admin-password"])
                #expect(done.status == 0, "\(done.text)")
                try await road.startServer()
            }
        }
    }

    /// Red where a command said that the server goes on by itself: a database that was left open is opened, and no change
    /// of it is taken.
    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func aCommandThatCannotWriteSaysThatNothingWasChanged() async throws {
        try await Road.with { road in
            try await RoadDisk.small.holding(road) {
                try road.server.killNow()
                try await RoadDisk.fill(road)
                let refused = try await eventually("the log has no room for one more") {
                    () -> (status: Int32, text: String)? in
                    let result = try await Self.operate(road, ["reset-admin-password"])
                    return result.status == 0 ? nil : result
                }
                for words in ["the disk of the database is full", "nothing was changed"] {
                    #expect(refused.text.contains(words), "\(refused.text)")
                }
                #expect(!refused.text.contains("by itself"), "\(refused.text)")
                try FileManager.default.removeItem(atPath: road.serverDirectory + "/old-backup")
                try await road.startServer()
            }
        }
    }

    /// Red where `check` and `backup` refused the disk: after a clean stop an empty log lies there, or none.
    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func aReadOnlyDiskIsCheckedAndBackedUp() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let removals = ["true", "rm -f server/martlet.sqlite-shm", "rm -f server/martlet.sqlite-wal"]
            for (number, removal) in removals.enumerated() {
                let backup = road.home.path + "/backup-\(number)"
                try await road.shell("\(removal) && mount --bind server server && mount -o remount,bind,ro server")
                let checked = try? await Self.operate(road, ["check"])
                let made = try? await Self.operate(road, ["backup", backup])
                try await road.shell("umount server")
                #expect(checked?.text == "whole", "\(removal): \(checked?.text ?? "")")
                #expect(made?.status == 0, "\(removal): \(made?.text ?? "")")
                let copied = try await Self.operate(road, ["check", backup])
                #expect(copied.text == "whole", "\(removal): \(copied.text)")
            }
            try await road.startServer()
            #expect(try await road.martlet("group", "list").contains("teachers"))
        }
    }

    /// Red where changes were taken that no later start found, and the server was ready.
    @Test func aDatabaseThatWasMovedAwayIsNoticed() async throws {
        try await Road.with { road in
            #expect(try await road.martlet("health").contains(/ready +yes/))
            let words = "the files of the database were moved or replaced"
            // Connections that are open go on with the files that they have; a new one is refused in the same words.
            try await road.martlet("group", "list")
            try await road.shell("mkdir -m 700 away && mv server/martlet.sqlite* away/")
            let refused = try await road.run("martlet", ["group", "create", "lost"])
            #expect(refused.status != 0 && refused.text.contains(words), "\(refused.text)")
            #expect(refused.text.contains(road.serverDirectory + "/martlet.sqlite:"), "\(refused.text)")
            let health = try await road.run("martlet", ["health"])
            #expect(health.text.contains(words), "\(health.text)")
            _ = try await road.server.line(containing: words)

            try await road.shell("mv away/martlet.sqlite* server/")
            try await eventually("it is ready") { try await road.martlet("health").contains(/ready +yes/) }
            try await road.martlet("group", "create", "later")
            try await road.stop(try road.server)
            try await road.startServer()
            let groups = try await road.martlet("group", "list")
            #expect(groups.contains("later") && !groups.contains("lost"), "\(groups)")
        }
    }

    /// Red where it was "Input/output error", as if the disk failed.
    @Test func aFileThatMayNotBecomeSoLargeIsSaidAsThat() async throws {
        try await Road.with { road in
            let backup = road.home.path + "/backup"
            let made = try await Self.operate(road, ["backup", backup])
            #expect(made.status == 0, "\(made.text)")
            let program = Road.binary("martlet-server").path
            let said = try await road.shell(
                """
                trap '' XFSZ; ulimit -f 64
                '\(program)' restore --data-directory restored '\(backup)' 2>&1 | cat; test ! -e restored/martlet.sqlite
                """)
            #expect(said.contains("martlet.sqlite cannot be written"), "\(said)")
            #expect(said.contains("larger than this process may make a file"), "\(said)")
        }
    }

    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func aReadOnlyDiskIsSaidByEachCommand() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            try await road.shell("mount --bind server server && mount -o remount,bind,ro server")
            for command in Self.commands {
                let refused = try? await Self.operate(road, command)
                #expect(refused?.status == 1, "\(command)")
                let text = refused?.text ?? ""
                #expect(text.contains("cannot be written to: have it mounted for writing"), "\(command): \(text)")
                #expect(text.contains(road.serverDirectory) && !text.contains("stop the server"), "\(command): \(text)")
            }
            try await road.shell("umount server")
            try await road.startServer()
        }
    }

    /// Red where it was "SQLite error 13: not an error".
    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func aFullDiskOfTheBackupIsSaidAsThat() async throws {
        try await Road.with { road in
            try await road.shell("mkdir target && mount -t tmpfs -o size=64k none target")
            let target = road.home.path + "/target"
            let refused = try? await Self.operate(road, ["backup", target + "/backup"])
            let left = try? FileManager.default.contentsOfDirectory(atPath: target)
            try await road.shell("umount target")
            let text = refused?.text ?? ""
            #expect(refused?.status == 1 && text.contains("the disk of the backup is full"), "\(text)")
            #expect(text.contains("make room on the disk of \(target)"), "\(text)")
            #expect(left == [], "nothing of it stays")
            let whole = try await Self.operate(road, ["backup", road.home.path + "/backup"])
            #expect(whole.status == 0, "\(whole.text)")
        }
    }

    private static func operate(_ road: Road, _ command: [String]) async throws -> (status: Int32, text: String) {
        let arguments = [command[0], "--data-directory", road.serverDirectory] + Array(command.dropFirst())
        return try await road.run("martlet-server", arguments)
    }
}
