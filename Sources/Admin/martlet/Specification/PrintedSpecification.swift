import AppSpecification
package import Foundation

/// What an app's program prints when it is asked for its specification.
package enum PrintedSpecification {
    /// Starts the program and reads what it prints, for `patience` seconds at most.
    ///
    /// It ends the program and the program's children afterwards. An app that does not know the request runs until
    /// somebody ends it, and a child that survives holds the output open.
    package static func read(from program: String, patience: TimeInterval) throws -> Data {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.environment = ProcessInfo.processInfo.environment.merging(["MARTLET_SPECIFICATION": "print"]) { $1 }
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "the program cannot be started", advice: "Its path is \(Printable.line(program)).")
        }
        let number = process.processIdentifier
        let timer = DispatchWorkItem { end(number) }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: timer)
        defer {
            timer.cancel()
            end(number)
        }
        var bytes = Data()
        while bytes.count <= SpecificationLimits.bytes,
            let piece = try pipe.fileHandleForReading.read(upToCount: 65_536), !piece.isEmpty
        {
            bytes += piece
        }
        return bytes
    }

    /// Ends the program and all processes of its group; Foundation starts each program in a group of its own.
    private static func end(_ number: Int32) {
        guard number > 1 else { return }
        kill(-number, SIGKILL)
    }
}
