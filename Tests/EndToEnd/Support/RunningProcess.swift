import Foundation
import Synchronization

/// A program of the road, running; what it prints is kept line by line with the moment it arrived.
final class RunningProcess: Sendable {
    struct Line: Sendable {
        let index: Int
        let text: String
        let at: ContinuousClock.Instant
    }

    struct NoSuchLine: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    private let process: Process
    private let lines = Mutex<[Line]>([])
    private let isDrained = Mutex(false)

    init(
        _ name: String, _ executable: URL, _ arguments: [String], environment: [String: String],
        input: FileHandle = .nullDevice
    ) throws {
        self.name = name
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let reader = output.fileHandleForReading
        Thread.detachNewThread { [self] in
            var rest = Data()
            // `availableData` answers with what is there; `read(upToCount:)` would wait for all of it.
            while true {
                let chunk = reader.availableData
                guard !chunk.isEmpty else { break }
                rest.append(chunk)
                while let end = rest.firstIndex(of: 0x0A) {
                    let text = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    lines.withLock { $0.append(Line(index: $0.count, text: text, at: .now)) }
                    rest.removeSubrange(rest.startIndex...end)
                }
            }
            try? reader.close()
            isDrained.withLock { $0 = true }
        }
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: [Line] { lines.withLock { $0 } }

    /// How many lines there were so far: pass it on to look only at what comes after.
    var mark: Int { lines.withLock { $0.count } }

    /// Waits for a line that contains `text`.
    func line(
        containing text: String, after mark: Int = 0, within patience: Duration = .seconds(20)
    ) async throws -> Line {
        try await line(after: mark, within: patience, "a line containing “\(text)”") { $0.contains(text) }
    }

    func line(
        after mark: Int = 0, within patience: Duration, _ wanted: String, where matches: (String) -> Bool
    ) async throws -> Line {
        let deadline = ContinuousClock.now + patience
        var next = mark
        var isOver = false
        repeat {
            // Asked before the lines are: a test that was held up past its time still looks at what came meanwhile.
            isOver = ContinuousClock.now >= deadline
            for line in lines.withLock({ Array($0.dropFirst(next)) }) {
                if matches(line.text) { return line }
                next = line.index + 1
            }
            try await Task.sleep(for: .milliseconds(2))
        } while !isOver
        let last = output.suffix(15).map { "    " + $0.text }.joined(separator: "\n")
        throw NoSuchLine(description: "\(name): \(wanted) did not come within \(patience); its last lines:\n\(last)")
    }

    func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits until the process has ended and answers its exit status, or nil when it did not end in time.
    func exit(within patience: Duration) async throws -> Int32? {
        let deadline = ContinuousClock.now + patience
        while process.isRunning {
            if ContinuousClock.now > deadline { return nil }
            try await Task.sleep(for: .milliseconds(2))
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Waits until the reader has handed over the last lines; not for ever, as a child may hold the output open.
    func drained() async throws {
        let deadline = ContinuousClock.now + .seconds(5)
        while !isDrained.withLock({ $0 }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Ends the process without asking.
    func killNow() {
        send(SIGKILL)
        process.waitUntilExit()
    }
}
