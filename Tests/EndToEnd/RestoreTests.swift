import Foundation
import Testing

/// What an operator hears of a restore, and that there is one at a time.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(120)))
struct RestoreTests {
    /// C11: several restores into one directory.
    ///
    /// Red before: of restores into one directory at once one could say that it was done over a directory without
    /// `ca.key`, and others left a part.
    @Test func ofRestoresAtOnceOneIsDoneAndSaysWhatItMeans() async throws {
        try await Road.with { road in
            try await road.enroll()
            let backup = road.home.appending(path: "backup").path
            #expect(try await Self.operate(road, "backup", [backup]).status == 0)
            try await road.stop(try road.server)
            let former = road.home.appending(path: "former")
            try FileManager.default.moveItem(atPath: road.serverDirectory, toPath: former.path)

            let held = try Self.hold(road.serverDirectory)
            let refused = try await Self.operate(road, "restore", [backup])
            close(held)
            #expect(refused.status == 1 && refused.text.contains("is in use"), "\(refused.text)")
            let left = try FileManager.default.contentsOfDirectory(atPath: road.serverDirectory)
            #expect(left == ["martlet.sqlite.lock"])

            let ended = try await withThrowingTaskGroup(of: (status: Int32, text: String).self) { group in
                for _ in 0..<4 { group.addTask { try await Self.operate(road, "restore", [backup]) } }
                var all: [(status: Int32, text: String)] = []
                for try await one in group { all.append(one) }
                return all
            }
            let done = ended.filter { $0.status == 0 }
            #expect(done.count == 1, "\(ended)")
            for other in ended where other.status != 0 {
                #expect(other.text.contains("is in use") || other.text.contains("is not empty"), "\(other.text)")
            }
            for words in ["devices in the backup: 1;", "a new era began", "retired, which are not sent again: 0"] {
                #expect(done.first?.text.contains(words) == true, "\(ended)")
            }
            try FileManager.default.copyItem(
                at: former.appending(path: "master.key"), to: URL(filePath: road.serverDirectory + "/master.key"))
            #expect(try await Self.operate(road, "check", []).text == "whole")
            #expect(!FileManager.default.fileExists(atPath: road.serverDirectory + "/restoring"))
        }
    }

    /// C11: a restore that finishes an interrupted restore can itself stop at each step before it copies.
    ///
    /// Red where it removes the rest of the first restore together with the marker of an unfinished restore: a server
    /// that starts then creates a new database and new authorities.
    @Test func aRestoreThatFinishesAnotherMayBeCutOffToo() async throws {
        try await Road.with { road in
            let backup = road.home.appending(path: "backup").path
            #expect(try await Self.operate(road, "backup", [backup]).status == 0)
            try await road.stop(try road.server)
            let key = try Data(contentsOf: URL(filePath: road.serverDirectory + "/master.key"))
            let files = FileManager.default
            let sign = road.serverDirectory + "/restoring"
            func restore(endingAt number: Int) async throws -> (status: Int32, text: String, calls: [String]) {
                let crash = CrashPoint(number, of: road.serverDirectory, log: road.home.appending(path: "points"))
                let ended = try await road.run(
                    "martlet-server", ["restore", "--data-directory", road.serverDirectory, backup], crash: crash)
                return (ended.status, ended.text, crash.calls)
            }
            // A restore that ended while it moved its files: some are in its folder, others beside it.
            try files.removeItem(atPath: road.serverDirectory)
            let whole = try await restore(endingAt: 0)
            try #require(whole.status == 0, "\(whole.text)")
            let renames = whole.calls.indices.filter { whole.calls[$0].hasPrefix("rename /") }
            try #require(renames.count > 3, "\(whole.calls)")
            try files.removeItem(atPath: road.serverDirectory)
            _ = try await restore(endingAt: renames[renames.count - 3] + 1)
            try #require(files.fileExists(atPath: sign))
            let cut = road.home.appending(path: "cut").path
            try files.copyItem(atPath: road.serverDirectory, toPath: cut)

            func begin() throws {
                try files.removeItem(atPath: road.serverDirectory)
                try files.copyItem(atPath: cut, toPath: road.serverDirectory)
            }
            try begin()
            let second = try await restore(endingAt: 0)
            try #require(second.status == 0, "\(second.text)")
            let copying = try #require(second.calls.firstIndex { $0.hasPrefix("directory /restoring/packages") })
            let points = Set(CrashPoint.points(upTo: copying + 1, quick: 3)).union([copying, copying + 1])
            for number in points.sorted() {
                CrashPoint.tell(number, of: copying + 1, "second restore")
                try begin()
                let ended = try await restore(endingAt: number)
                #expect(ended.status == SIGKILL || ended.status == -SIGKILL, "\(number): \(ended.text)")
                try #require(files.fileExists(atPath: sign), "\(number): \(ended.calls.last ?? "")")
                let start = try await road.run("martlet-server", ["run", "--data-directory", road.serverDirectory])
                #expect(start.status == 1 && start.text.contains("only in part"), "\(number): \(start.text)")
                let third = try await restore(endingAt: 0)
                #expect(third.status == 0, "\(number): \(third.text)")
                try key.write(to: URL(filePath: road.serverDirectory + "/master.key"))
                try files.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: road.serverDirectory + "/master.key")
                let checked = try await Self.operate(road, "check", [])
                #expect(checked.text == "whole", "\(number): \(checked.text)")
            }
        }
    }

    /// Every command refuses a data directory with an unfinished restore.
    ///
    /// Red where a command sets a password in a database that the next restore removes, or begins a backup.
    @Test func aPartOfARestoreIsNoServersDirectory() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let sign = road.serverDirectory + "/restoring"
            try FileManager.default.createDirectory(atPath: sign, withIntermediateDirectories: false)
            for (command, arguments) in [
                ("backup", [road.home.appending(path: "backup").path]), ("check", []), ("rekey", []),
                ("reset-admin-password", []), ("forget-secrets", []),
            ] as [(String, [String])] {
                let refused = try await Self.operate(road, command, arguments)
                #expect(refused.status == 1 && refused.text.contains("only in part"), "\(command): \(refused.text)")
            }
        }
    }

    /// `--if-version` works after a restore, when the server's entity tags hold more than the version's number.
    ///
    /// Red where the tool sends the number alone: after a restore the server then refuses each such change.
    @Test func theToolHoldsChangesToVersionsAfterARestore() async throws {
        try await Road.with { road in
            try await road.setPassword("wifi", "first")
            let backup = road.home.appending(path: "backup").path
            #expect(try await Self.operate(road, "backup", [backup]).status == 0)
            try await road.stop(try road.server)
            let former = road.home.appending(path: "former")
            try FileManager.default.moveItem(atPath: road.serverDirectory, toPath: former.path)
            let restored = try await Self.operate(road, "restore", [backup])
            try #require(restored.status == 0, "\(restored.text)")
            try FileManager.default.copyItem(
                at: former.appending(path: "master.key"), to: URL(filePath: road.serverDirectory + "/master.key"))
            try await road.startServer()

            for value in ["second", "third"] { try await road.setPassword("wifi", value) }
            try await road.martlet("secret", "delete", "wifi", "--if-version", "2", status: 4)
            try await road.martlet("secret", "delete", "wifi", "--if-version", "3")
            try await road.martlet("secret", "show", "wifi", status: 3)
        }
    }

    /// Has the lock of a server's database, as a server or a restore has it; answers its descriptor.
    private static func hold(_ directory: String) throws -> Int32 {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = unsafe open(directory + "/martlet.sqlite.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor
    }

    private static func operate(
        _ road: Road, _ command: String, _ arguments: [String]
    ) async throws -> (status: Int32, text: String) {
        try await road.run("martlet-server", [command, "--data-directory", road.serverDirectory] + arguments)
    }
}
