import AppMessages
import DeviceAgent
import Foundation
import PlayedAgent
import Testing

/// An app of its own process that follows the identifiers of its passwords on the main actor.
@Suite(.timeLimit(.minutes(10)))
struct AccountsTests {
    /// S4-SECRET-04, S4-SECRET-06, S4-API-19: it opens what is added at runtime, and sleeps while nothing changes.
    @Test func anAppOpensItsAccountsAndSleepsInBetween() async throws {
        let agent = try PlayedAgent()
        agent.change { $0.passwords = ["account-1": "one", "other": "not an account"] }
        let app = try Accounts(agent)
        defer { app.end() }
        try await app.says("[account-1: 3 characters]")
        agent.change(.password) { $0.passwords["account-2"] = "second" }
        try await app.says("[account-1: 3 characters, account-2: 6 characters]")

        var wakings: [Int] = [-1]
        // Start-up work may still be ending, for long on a busy machine; a timer of whatever kind would show each time.
        for _ in 0..<160 where wakings.suffix(2).count < 2 || wakings[wakings.count - 1] != wakings[wakings.count - 2] {
            wakings.append(try app.wakings())
            try await Task.sleep(for: .milliseconds(1_500))
            wakings.append(try app.wakings())
        }
        #expect(wakings[wakings.count - 1] == wakings[wakings.count - 2], "the app woke: \(wakings)")

        // Only a value, then nothing more.
        agent.change(.password) { $0.passwords["account-1"] = "four" }
        try await app.says("[account-1: 4 characters, account-2: 6 characters]")
        agent.change(.password) { $0.passwords = [:] }
        try await app.says("[]")
    }
}

/// The app, started by an agent that then leaves its place to the one that is played.
private final class Accounts {
    private let process: Int32
    private let output: Pipe
    private let lines: AsyncStream<String>

    init(_ agent: PlayedAgent) throws {
        let directory = URL(filePath: agent.path).deletingLastPathComponent()
        let service = AppService(
            socketPath: agent.path, controlPath: directory.appending(path: "control.sock").path,
            records: LaunchRecordsFile(path: directory.appending(path: "launches.json").path), log: quiet,
            find: { _ in nil }, report: { _ in })
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let binary = URL(filePath: tests).deletingLastPathComponent().appending(path: "AccountsApp").path
        let bundle = AppBundle(
            directory: directory.path, identifier: "com.example.accounts", name: "Accounts", version: "1.0",
            shortVersion: "1.0", executable: binary)
        let output = Pipe()
        self.output = output
        try service.start()
        process = try service.launch(bundle, standardOutput: output.fileHandleForWriting.fileDescriptor)
        service.stop()
        try agent.start()
        try output.fileHandleForWriting.close()
        let (lines, arrived) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { return arrived.finish() }
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    arrived.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
    }

    /// Waits for a line; before it the app may have said what was true then.
    func says(_ expected: String) async throws {
        for await line in lines where line == expected { return }
        Issue.record("the app ended before it said \(expected)")
    }

    /// How often threads of the app went to sleep so far.
    func wakings() throws -> Int {
        let threads = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: threads).reduce(0) { sum, thread in
            // One that has ended meanwhile is missing from the sum, which is another one then.
            let status = try? String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    func end() { kill(process, SIGTERM) }
}
