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
