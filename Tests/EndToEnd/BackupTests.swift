import AdminMessages
import Foundation
import Synchronization
import Testing
import Waiting

/// A server's backup as an operator makes it while the server serves, and what it is worth afterwards.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(120)))
struct BackupTests {
    /// What was acknowledged before the backup began is in it, what came later is in it whole or not at all; the device
    /// goes on with the restored server as if nothing had been.
    @Test func aBackupUnderLoadRestoresToOneMoment() async throws {
        try await Road.with { road in
            let package = try await Self.furnish(road)
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.setPassword("account", "one that is kept")
            try await app.give("account", as: "account")
            try await road.configure("Before")
            try await road.assign()
            let backup = road.home.appending(path: "backup").path
            let acknowledged = Acknowledged()
            try await Administrator.with(road) { administrator in
                let load = Task { @Sendable in
                    while !acknowledged.isEnough.withLock({ $0 }) {
                        let number = acknowledged.count.withLock { $0 } + 1
                        try await administrator.insist(
                            "POST", "/groups", Data(#"{"name": "group-\#(number)"}"#.utf8))
                        acknowledged.count.withLock { $0 = number }
                    }
                }
                try await eventually("there is a load") { acknowledged.count.withLock { $0 } >= 20 }
                let before = acknowledged.count.withLock { $0 }
                let made = try await Self.operate(road, "backup", [backup])
                for words in ["the master key is not in it", "the server's certificate is not in it"] {
                    #expect(made.status == 0 && made.text.contains(words), "\(made.text)")
                }
                acknowledged.isEnough.withLock { $0 = true }
                try await load.value
                let all = acknowledged.count.withLock { $0 }
                #expect(all > before, "there was no load while the backup was made")
                acknowledged.count.withLock { $0 = before }
            }
            try Self.expectPrivate(backup)
            #expect(try await Self.operate(road, "check", [backup]).text == "whole")
            #expect(try await Self.operate(road, "check", []).text == "whole", "while the server serves")

            try await road.martlet("group", "create", "after")
            try await road.stop(try road.server)
            let former = road.home.appending(path: "former")
            try FileManager.default.moveItem(atPath: road.serverDirectory, toPath: former.path)
            let restored = try await Self.operate(road, "restore", [backup])
            #expect(restored.status == 0 && restored.text.contains("put the master key there"), "\(restored.text)")
            #expect(try await Self.operate(road, "check", []).text.contains("the file of the master key is not there"))
            try FileManager.default.copyItem(
                at: former.appending(path: "master.key"), to: URL(filePath: road.serverDirectory + "/master.key"))
            #expect(try await Self.operate(road, "check", []).text == "whole")

            try await road.startServer()
            let groups = Set(try await road.martlet("group", "list").split(separator: "\n").map(Self.firstWord))
            for number in 1...acknowledged.count.withLock({ $0 }) { #expect(groups.contains("group-\(number)")) }
            #expect(!groups.contains("after"))
            let numbers = groups.compactMap { Int($0.dropFirst(6)) }.sorted()
            #expect(numbers == Array(1...numbers.count), "what came later is there without gaps")
            #expect(try await road.martlet("audit", "verify").contains("each follows"), "the chain holds")
            #expect(try await road.martlet("audit", "list", "--action", "store.restore").contains("operator"))
            try await road.configure("After")
            try await road.synchronised()
            #expect(try await app.ask("password", "account") == "account=\(sum("one that is kept"))")
            try await road.shell("curl -sSf --cacert '\(road.authority)' \(road.url)/packages/\(package) -o package")
        }
    }

    /// A backup that was changed is refused with the file's name, and nothing of it is served.
    @Test func aBackupThatWasChangedIsNotServed() async throws {
        try await Road.with { road in
            let package = try await Self.furnish(road)
            let backup = road.home.appending(path: "backup").path
            #expect(try await Self.operate(road, "backup", [backup]).status == 0)
            let again = try await Self.operate(road, "backup", [backup])
            #expect(again.status == 1 && again.text.contains("is there already"), "\(again.text)")
            for inner in [road.serverDirectory + "/inner", road.home.path + "/link/inner"] {
                let link = road.home.path + "/link"
                try? FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: road.serverDirectory)
                let inside = try await Self.operate(road, "backup", [inner])
                #expect(inside.status == 1 && inside.text.contains("is inside the data directory"), "\(inside.text)")
                try? FileManager.default.removeItem(atPath: link)
            }
            let served = try await Self.operate(road, "restore", [backup])
            #expect(served.status == 1 && served.text.contains("is in use"), "\(served.text)")
            try await road.stop(try road.server)
            let full = try await Self.operate(road, "restore", [backup])
            #expect(full.status == 1 && full.text.contains("is not empty"), "\(full.text)")
            try FileManager.default.removeItem(atPath: road.serverDirectory)

            let file = backup + "/packages/" + package
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: file))
            let checked = try await Self.operate(road, "check", [backup])
            #expect(checked.status == 1 && checked.text.contains("\(package) is not what it was"), "\(checked.text)")
            let refused = try await Self.operate(road, "restore", [backup])
            #expect(refused.status == 1 && refused.text.contains("is not what was put there"), "\(refused.text)")
            // Red where a folder and a lock stayed, with which no server starts.
            #expect(!FileManager.default.fileExists(atPath: road.serverDirectory))
            try FileManager.default.createDirectory(
                atPath: road.serverDirectory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let second = try await Self.operate(road, "restore", [backup])
            #expect(second.status == 1 && second.text.contains("is not what was put there"), "\(second.text)")
            let left = try FileManager.default.contentsOfDirectory(atPath: road.serverDirectory)
            #expect(left.isEmpty, "\(left)")

            // A name that leads elsewhere is not followed.
            let manifest = URL(filePath: backup + "/backup.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            for name in ["../victim", "packages/../../victim", "/etc/victim", "master.key"] {
                try Data(text.replacing("packages/\(package)", with: name).utf8).write(to: manifest)
                let misled = try await Self.operate(road, "restore", [backup])
                #expect(misled.status == 1 && misled.text.contains("does not say what a backup"), "\(misled.text)")
            }
        }
    }

    /// Ended at any write, sync, rename or removal, a restore is finished by running it again; until then the server does
    /// not start.
    ///
    /// What a restore does to the fleet it then did once: an era began, and what acts was retired.
    @Test func aRestoreThatWasCutOffIsFinishedByRunningItAgain() async throws {
        try await Road.with { road in
            _ = try await Self.furnish(road)
            let code = try await road.enrollmentCode()
            let device = try await road.enroll(code: code, directory: road.agentDirectory)
            try await road.martlet("device", "command", device, "RestartDevice")
            let key = try Data(contentsOf: URL(filePath: road.serverDirectory + "/master.key"))
            let backup = road.home.appending(path: "backup").path
            #expect(try await Self.operate(road, "backup", [backup]).status == 0)
            try await road.stop(try road.server)

            func restore(endingAt number: Int) async throws -> [String] {
                try? FileManager.default.removeItem(atPath: road.serverDirectory)
                let crash = CrashPoint(number, of: road.serverDirectory, log: road.home.appending(path: "points"))
                let cut = try await Self.operate(road, "restore", [backup], crash)
                guard number > 0 else { return crash.calls }
                #expect(cut.status == SIGKILL || cut.status == -SIGKILL, "\(number): \(cut)")
                if FileManager.default.fileExists(atPath: road.serverDirectory + "/restoring") {
                    let start = try await road.run("martlet-server", ["run", "--data-directory", road.serverDirectory])
                    #expect(start.status == 1 && start.text.contains("only in part"), "\(start.text)")
                    let second = try await Self.operate(road, "restore", [backup])
                    #expect(second.status == 0, "point \(number): \(second.text)")
                    for words in ["devices in the backup: 1;", "retired, which are not sent again: 1"] {
                        #expect(second.text.contains(words), "point \(number): \(second.text)")
                    }
                }
                try key.write(to: URL(filePath: road.serverDirectory + "/master.key"))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: road.serverDirectory + "/master.key")
                let checked = try await Self.operate(road, "check", [])
                #expect(checked.text == "whole", "point \(number), \(crash.calls.last ?? ""): \(checked.text)")
                return crash.calls
            }
            let calls = try await restore(endingAt: 0)
            try #require(calls.count > 20)
            // Before the second there is nothing that could be finished.
            for number in CrashPoint.points(upTo: calls.count, quick: 4) where number > 2 {
                CrashPoint.tell(number, of: calls.count, "restore")
                _ = try await restore(endingAt: number)
            }
            try await road.startServer()
            let restores = try await road.martlet("audit", "list", "--action", "store.restore")
            #expect(restores.components(separatedBy: "store.restore").count == 2, "once: \(restores)")
            #expect(try await road.martlet("device", "commands", device).contains("retired"))
        }
    }

    /// `check` says of each part of a data directory when it is missing or not what it was; of a damaged database there is
    /// no backup.
    @Test func checkSaysWhatIsMissing() async throws {
        try await Road.with { road in
            let package = try await Self.furnish(road)
            try await road.setPassword("account", "kept")
            try await road.stop(try road.server)
            let whole = road.home.appending(path: "whole").path
            try FileManager.default.copyItem(atPath: road.serverDirectory, toPath: whole)
            for (script, words) in [
                ("rm identities.key", "identities.key is missing"), ("rm ca.pem", "ca.pem is missing"),
                ("cp identities.key ca.key", "do not make an authority"),
                ("rm packages/\(package)", "package \(package) is missing"),
                ("rm master.key", "the file of the master key is not there"),
                ("head -c 32 /dev/urandom | base64 > master.key", "under a master key that is not here"),
                ("rm martlet.sqlite", "there is no database"),
                // What was written lies in the log beside the database, until SQLite moves it over.
                (
                    """
                    python3 -c 'import sqlite3
                    sqlite3.connect("martlet.sqlite").execute("pragma wal_checkpoint(truncate)")' &&
                    dd if=/dev/urandom of=martlet.sqlite bs=4096 seek=12 count=6 conv=notrunc 2>/dev/null
                    """, "damaged"
                ),
                ("mkdir restoring", "only in part"),
            ] {
                try FileManager.default.removeItem(atPath: road.serverDirectory)
                try FileManager.default.copyItem(atPath: whole, toPath: road.serverDirectory)
                try await road.shell("cd server && \(script)")
                let checked = try await Self.operate(road, "check", [])
                #expect(checked.status == 1 && checked.text.contains(words), "\(script): \(checked)")
                guard words == "damaged" else { continue }
                // C12. Red while the copy was not looked over: the backup of a damaged database ended with 0.
                let backup = road.home.appending(path: "backup").path
                let made = try await Self.operate(road, "backup", [backup])
                #expect(made.status == 1 && made.text.contains("database"), "\(made)")
                for place in [backup, backup + ".partial"] {
                    #expect(!FileManager.default.fileExists(atPath: place), "\(place)")
                }
            }
        }
    }

    /// A file that does not answer, as on a network file system whose server is gone, ends each command with a reason;
    /// what remains is named, and what was there is as it was.
    ///
    /// A pipe without a writer stands in for it: opening it waits in the kernel. Red while only the copy of the database
    /// had a bound.
    @Test func aDiskThatDoesNotAnswerEndsTheCommand() async throws {
        try await Road.with { road in
            let package = try await Self.furnish(road)
            let whole = road.home.appending(path: "whole").path
            #expect(try await Self.operate(road, "backup", [whole]).status == 0)

            let served = road.serverDirectory + "/packages/" + package
            try Self.putPipe(at: served)
            let checked = try await Self.operate(road, "check", ["--stall-limit", "1s"])
            #expect(checked.status == 1 && checked.text.contains("the check came no further"), "\(checked)")
            let backup = road.home.appending(path: "backup").path
            let made = try await Self.operate(road, "backup", [backup, "--stall-limit", "1s"])
            #expect(made.status == 1 && made.text.contains("\(backup).partial is there, remove it"), "\(made)")
            #expect(!FileManager.default.fileExists(atPath: backup), "nothing is taken for a backup")
            #expect(FileManager.default.fileExists(atPath: backup + ".partial"))
            try FileManager.default.removeItem(atPath: served)
            try FileManager.default.copyItem(atPath: whole + "/packages/" + package, toPath: served)
            #expect(try await Self.operate(road, "check", []).text == "whole")

            try await road.stop(try road.server)
            try FileManager.default.removeItem(atPath: road.serverDirectory)
            let kept = whole + "/packages/" + package
            let bytes = try Data(contentsOf: URL(filePath: kept))
            try Self.putPipe(at: kept)
            let restored = try await Self.operate(road, "restore", [whole, "--stall-limit", "1s"])
            #expect(restored.status == 1 && restored.text.contains("run it again"), "\(restored)")
            #expect(!FileManager.default.fileExists(atPath: road.serverDirectory + "/martlet.sqlite"))
            try FileManager.default.removeItem(atPath: kept)
            try bytes.write(to: URL(filePath: kept))
            let again = try await Self.operate(road, "restore", [whole])
            #expect(again.status == 0, "\(again)")
        }
    }

    // MARK: help

    private static func putPipe(at path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        guard unsafe mkfifo(path, 0o600) == 0 else { throw Road.Broken(description: "no pipe") }
    }

    /// How many groups the server said it has made.
    private final class Acknowledged: Sendable {
        let count = Mutex(0)
        let isEnough = Mutex(false)
    }

    /// A server that hosts a package; answers its digest.
    private static func furnish(_ road: Road) async throws -> String {
        let developer = try await Developer.on(road)
        try await developer.publish("1", bytes: 300_000)
        let names = try FileManager.default.contentsOfDirectory(atPath: road.serverDirectory + "/packages")
        return try #require(names.first { $0.count == 64 })
    }

    private static func operate(
        _ road: Road, _ command: String, _ arguments: [String], _ crash: CrashPoint? = nil
    ) async throws -> (status: Int32, text: String) {
        try await road.run(
            "martlet-server", [command, "--data-directory", road.serverDirectory] + arguments, crash: crash)
    }

    private static func expectPrivate(_ backup: String) throws {
        let files = FileManager.default
        #expect(!files.fileExists(atPath: backup + ".partial"))
        for path in [""] + (try files.subpathsOfDirectory(atPath: backup)) {
            let attributes = try files.attributesOfItem(atPath: backup + "/" + path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(path)")
        }
        #expect(!files.fileExists(atPath: backup + "/master.key"))
    }

    private static func firstWord(_ line: Substring) -> String { String(line.prefix { $0 != " " }) }
}
