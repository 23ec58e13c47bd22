import Foundation
import Management
import StoreSQLite
import Testing

/// Counts the syncs that the kernel was asked for.
///
/// GRDB undoes `synchronous=FULL` while it opens a pool, so only a count shows that an answered write is on disk. The
/// writes happen in a process of their own under strace, which marks each answer by writing to a file.
@Suite(.serialized) struct DurabilityTests {
    private static let strace = "/usr/bin/strace"
    private static let variable = "MARTLET_DURABILITY_DIRECTORY"
    private static let workload = ProcessInfo.processInfo.environment[variable]
    private static let canTrace = FileManager.default.isExecutableFile(atPath: strace)
    private static let alone = 50
    private static let together = 500

    @Test(.enabled(if: workload != nil, "only as the traced process of the other test"))
    func writesWhileTraced() async throws {
        let directory = try #require(Self.workload)
        let store = try SQLiteStore(path: directory + "/store.sqlite")
        let marks = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/marks"))
        for number in 0..<Self.alone {
            _ = try await store.addGroup(named: "g\(number)", author: "admin", now: Date())
            try marks.write(contentsOf: Data("answered\n".utf8))
        }
        try marks.write(contentsOf: Data("together\n".utf8))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.together {
                group.addTask { _ = try await store.addGroup(named: "p\(number)", author: "admin", now: Date()) }
            }
            try await group.waitForAll()
        }
        try marks.write(contentsOf: Data("end\n".utf8))
        try store.close()
    }

    @Test(.enabled(if: canTrace && workload == nil, "strace is not installed"), .timeLimit(.minutes(10)))
    func everyAnsweredWriteIsOnDiskFirst() async throws {
        let directory = try TemporaryDirectory()
        #expect(FileManager.default.createFile(atPath: directory.path("marks"), contents: nil))
        let trace = try await trace(directory)
        // Each answer alone: between it and the one before, the log was synced.
        var synced = false
        var answers = 0
        for line in trace.prefix(while: { !$0.contains("together") }) {
            if Self.isSync(line) { synced = true }
            guard line.contains("answered") else { continue }
            #expect(synced, "answer \(answers) was given before a sync")
            answers += 1
            synced = false
        }
        #expect(answers == Self.alone)
        // Many at once share commits: at least one sync for each full batch, and fewer than one for each write.
        let shared = trace.drop { !$0.contains("together") }.prefix { !$0.contains("end\\n") }.filter(Self.isSync).count
        #expect(shared >= Self.together / 128)
        #expect(shared < Self.together)
    }

    private static func isSync(_ line: Substring) -> Bool {
        line.contains("sync(") && line.contains("store.sqlite-wal>")
    }

    /// Runs the other test of this suite under strace and answers with the lines of the trace.
    private func trace(_ directory: TemporaryDirectory) async throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.strace)
        process.arguments = [
            "-f", "-y", "-q", "-e", "trace=fdatasync,fsync,write", "-o", directory.path("trace"),
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            "--testing-library", "swift-testing", "--filter", "writesWhileTraced",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Self.variable: directory.path("")]) { _, new in new }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0)
        return try String(contentsOfFile: directory.path("trace"), encoding: .utf8).split(separator: "\n")
    }
}
