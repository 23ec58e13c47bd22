import AppSpecification
package import Foundation
import Glibc

/// What an app's program prints when it is asked for its specification.
package enum PrintedSpecification {
    /// Starts the program and reads what it prints, until it has ended, for `patience` seconds at most.
    ///
    /// It ends the program and the processes of its group afterwards. An app that does not know the request runs until
    /// somebody ends it. A process that left the group and holds the output open is not waited for.
    package static func read(from program: String, patience: TimeInterval) throws -> Data {
        let deadline = ContinuousClock.now + .seconds(patience)
        return try read(from: program) { ContinuousClock.now >= deadline }
    }

    /// The same until `isEnough` is true, which is checked again after every look at the output.
    package static func read(from program: String, until isEnough: () -> Bool) throws -> Data {
        try requireProgram(program)
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.environment = ProcessInfo.processInfo.environment.merging(["MARTLET_SPECIFICATION": "print"]) { $1 }
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure(
                .failed, "the program \(program) cannot be started", advice: "Is it a program for this machine?")
        }
        let number = process.processIdentifier
        defer { end(number) }
        let output = pipe.fileHandleForReading
        var bytes = Data()
        while bytes.count <= SpecificationLimits.bytes, !isEnough() {
            // Looked at before the output: what the program printed before it ended is there by then.
            let isOver = hasEnded(process)
            guard hasMore(output, within: isOver ? 0 : pause) else {
                if isOver { break }
                continue
            }
            guard let piece = next(output), !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }

    /// Refuses what is no file that this user may execute.
    private static func requireProgram(_ program: String) throws(Failure) {
        let subject = "the program \(program) cannot be started"
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: program, isDirectory: &isDirectory) else {
            throw Failure(
                .notFound, "\(subject): there is no such file", advice: "Build it first, or correct its path.")
        }
        guard !isDirectory.boolValue else {
            throw Failure(.refused, "\(subject): it is a directory", advice: "Name the program that lies in it.")
        }
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Failure(
                .refused, "\(subject): you may not execute it",
                advice: "Name the app's program, such as .build/debug/Notes, or make it executable with chmod +x.")
        }
    }

    /// How long one look at the output takes, in milliseconds: the end of the program is noticed as late.
    private static let pause: Int32 = 50
    private static let pieceBytes = 65_536

    /// Whether the program has ended.
    ///
    /// Foundation does not say so as long as a process that came of it runs.
    private static func hasEnded(_ process: Process) -> Bool {
        let file = "/proc/\(process.processIdentifier)/stat"
        guard let status = FileManager.default.contents(atPath: file) else { return !process.isRunning }
        // The state is what follows the name, which is in parentheses and may hold any character.
        return String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    /// Whether there is something to read, or nothing more will come.
    private static func hasMore(_ output: FileHandle, within milliseconds: Int32) -> Bool {
        var look = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&look, 1, milliseconds) > 0
    }

    /// What there is, without waiting for more; empty at the end of the output, nil where it cannot be read.
    private static func next(_ output: FileHandle) -> Data? {
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        let count = unsafe piece.withUnsafeMutableBytes { room in
            unsafe Glibc.read(output.fileDescriptor, room.baseAddress, room.count)
        }
        return count < 0 ? nil : Data(piece.prefix(count))
    }

    /// Ends the program and all processes of its group; Foundation starts each program in a group of its own.
    private static func end(_ number: Int32) {
        guard number > 1 else { return }
        kill(-number, SIGKILL)
    }
}
