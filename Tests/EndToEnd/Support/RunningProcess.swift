import Foundation
import Spawn
import Synchronization
import Waiting

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
    let identifier: Int32
    private let status = Mutex<Int32?>(nil)
    private let lines = Mutex<[Line]>([])
    private let isDrained = Mutex(false)

    struct NotStarted: Error {
        let program: String
        let number: Int32
    }

    init(
        _ name: String, _ executable: URL, _ arguments: [String], environment: [String: String],
        input: FileHandle = .nullDevice
    ) throws {
        self.name = name
        let output = Pipe()
        let given = input === FileHandle.nullDevice ? -1 : input.fileDescriptor
        identifier = unsafe withCStrings([executable.path] + arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                unsafe spawn_program(
                    executable.path, arguments, environment, given, output.fileHandleForWriting.fileDescriptor)
            }
        }
        try output.fileHandleForWriting.close()
        guard identifier > 0 else { throw NotStarted(program: executable.path, number: -identifier) }
        // Not before it is collected does its number belong to another.
        Thread.detachNewThread { [self] in
            _ = spawn_wait(identifier)
            status.withLock { $0 = spawn_collect(identifier) }
        }
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

    var isRunning: Bool { status.withLock { $0 == nil } }
    var output: [Line] { lines.withLock { $0 } }

    /// How many lines there were so far: pass it on to look only at what comes after.
    var mark: Int { lines.withLock { $0.count } }

    /// Waits for a line that contains `text`.
    func line(
        containing text: String, after mark: Int = 0, within patience: Duration = patience
    ) async throws -> Line {
        try await line(after: mark, within: patience, "a line containing “\(text)”") { $0.contains(text) }
    }

    func line(
        after mark: Int = 0, within patience: Duration = patience, _ wanted: String, where matches: (String) -> Bool
    ) async throws -> Line {
        let deadline = ContinuousClock.now + patience
        var next = mark
        var isOver = false
        var pause = Pause()
        repeat {
            // Asked before the lines are: a test that was held up past its time still looks at what came meanwhile.
            isOver = ContinuousClock.now >= deadline
            for line in lines.withLock({ Array($0.dropFirst(next)) }) {
                if matches(line.text) { return line }
                next = line.index + 1
            }
            try await pause()
        } while !isOver
        let last = output.suffix(15).map { "    " + $0.text }.joined(separator: "\n")
        throw NoSuchLine(description: "\(name): \(wanted) did not come within \(patience); its last lines:\n\(last)")
    }

    func send(_ signal: Int32) {
        status.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// Has the process stand still, with all its threads, until it is sent `SIGCONT`.
    func freeze() throws { try Waiting.freeze(identifier) }

    /// Waits until the process has ended and answers its exit status, or nil when it did not end in time.
    func exit(within patience: Duration = patience) async throws -> Int32? {
        let deadline = ContinuousClock.now + patience
        var pause = Pause()
        while true {
            if let status = status.withLock({ $0 }) { return status }
            if ContinuousClock.now > deadline { return nil }
            try await pause()
        }
    }

    /// Waits until the reader has handed over the last lines; not for ever, as a child may hold the output open.
    func drained() async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !isDrained.withLock({ $0 }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Ends the process without asking.
    func killNow() {
        send(SIGKILL)
        while isRunning { usleep(1_000) }
    }
}

/// Between two looks: short at first, longer for what takes long, as those who look take time from what they wait for.
private struct Pause {
    private var length = Duration.milliseconds(2)

    mutating func callAsFunction() async throws {
        try await Task.sleep(for: length)
        length = min(length * 2, .milliseconds(32))
    }
}

// Lends an array of C strings, ended by NULL.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe (copies + [nil]).withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("an array with an end is never empty") }
        return unsafe body(start)
    }
}
