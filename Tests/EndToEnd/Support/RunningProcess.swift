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
        var next = mark
        return try await eventually("\(name): \(wanted), after these:\n\(lastLines)\n", within: patience) {
            () -> Line? in
            for line in lines.withLock({ Array($0.dropFirst(next)) }) {
                if matches(line.text) { return line }
                next = line.index + 1
            }
            return nil
        }
    }

    private var lastLines: String { output.suffix(15).map { "    " + $0.text }.joined(separator: "\n") }

    func send(_ signal: Int32) {
        status.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// Has the process stand still, with all its threads, until it is sent `SIGCONT`.
    func freeze() throws { try Waiting.freeze(identifier) }

    /// Waits until the process has ended and answers its exit status, or nil when it did not end in time.
    func exit(within patience: Duration = patience) async throws -> Int32? {
        do {
            let ended: Int32 = try await eventually("the end of \(name)", within: patience) { status.withLock { $0 } }
            return ended
        } catch is DidNotHappen {
            return nil
        }
    }

    /// Waits until the reader has handed over the last lines; not forever, as a child may hold the output open.
    func drained() async throws {
        do {
            try await eventually("the last lines of \(name)", within: .seconds(60)) { isDrained.withLock { $0 } }
        } catch is DidNotHappen {}
    }

    /// Waits until the process says a line or has ended, however long a busy machine takes for either.
    ///
    /// Answers nothing if it has ended without that line.
    func lineOrEnd(_ wanted: String, where matches: (String) -> Bool) async throws -> Line? {
        func said() -> Line? { output.first { matches($0.text) } }
        try await eventually("\(wanted), or the end of \(name)") { said() != nil || !isRunning }
        if let line = said() { return line }
        try await drained()
        return said()
    }

    /// Ends the process without asking.
    func killNow() {
        send(SIGKILL)
        while isRunning { usleep(1_000) }
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
