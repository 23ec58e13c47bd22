import Foundation
import Management
import StoreSQLite
import Testing

/// Counts the syncs that the kernel was asked for.
///
/// GRDB undoes `synchronous=FULL` while it opens a pool, so only a count shows that an answered write is on disk.
struct DurabilityTests {
    private static let strace = "/usr/bin/strace"
    private static let canTrace = FileManager.default.isExecutableFile(atPath: strace)

    @Test(.enabled(if: canTrace, "strace is not installed"), .timeLimit(.minutes(2)))
    func everyAnsweredWriteIsOnDiskFirst() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let store = try SQLiteStore(path: path)
        let trace = try Trace(strace: Self.strace, log: directory.path("trace"))
        try await trace.attached { _ = try await store.addGroup(named: "warm\($0)", now: Date()) }

        let before = try trace.syncs(of: path)
        for number in 0..<50 { _ = try await store.addGroup(named: "g\(number)", now: Date()) }
        let alone = try await trace.settled { try trace.syncs(of: path) - before }
        // One after another: each has a commit, and a sync, of its own.
        #expect(alone >= 50)

        let middle = try trace.syncs(of: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask { _ = try await store.addGroup(named: "p\(number)", now: Date()) }
            }
            try await group.waitForAll()
        }
        let together = try await trace.settled { try trace.syncs(of: path) - middle }
        // Together they share commits: at least one sync for each batch, and fewer than one for each.
        #expect(together >= 500 / 128)
        #expect(together < 500)
        trace.stop()
    }
}

/// strace, attached to this process.
private final class Trace {
    private let process = Process()
    private let log: String

    init(strace: String, log: String) throws {
        self.log = log
        process.executableURL = URL(fileURLWithPath: strace)
        process.arguments = [
            "-f", "-y", "-q", "-e", "trace=fdatasync,fsync", "-o", log, "-p", "\(ProcessInfo.processInfo.processIdentifier)",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Repeats an operation that syncs until the first sync is seen.
    func attached(_ operation: (Int) async throws -> Void) async throws {
        for number in 0..<10_000 {
            try await operation(number)
            if try !lines().isEmpty { return }
            try #require(process.isRunning, "strace may not attach here")
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("strace saw no sync")
    }

    /// strace writes its log a little later: waits until the count stands still.
    func settled(_ count: () throws -> Int) async throws -> Int {
        var last = -1
        for _ in 0..<200 {
            let now = try count()
            if now == last { return now }
            last = now
            try await Task.sleep(for: .milliseconds(50))
        }
        return last
    }

    func syncs(of path: String) throws -> Int { try lines().filter { $0.contains("\(path)-wal") }.count }

    func stop() {
        process.interrupt()
        process.waitUntilExit()
    }

    private func lines() throws -> [Substring] {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").filter { $0.contains("sync(") }
    }
}
