import AppSpecification
import ArgumentParser
import Foundation

/// The command `martlet spec emit`.
struct SpecificationEmit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emit", abstract: "Write the specification that an app's own code makes.",
        discussion: """
            The app is a program whose main begins with PublishedSpecification.emitIfAsked(): it is started with \
            MARTLET_SPECIFICATION=print in its environment, prints its specification and ends.

              martlet spec emit .build/debug/Notes --output specification.json
            """)

    @Argument(help: "The app's program.", completion: .file())
    var program: String

    @OptionGroup var destination: SpecificationDestination

    // An app that does not know what is asked of it may run for ever.
    private static let patience: TimeInterval = 20

    func run() async throws {
        try destination.requireFree()
        let data = try await printed()
        let specification: AppSpecification
        do {
            specification = try AppSpecification(parsing: data)
        } catch {
            throw Failure(
                .refused, "the program printed no specification: \(error)",
                advice: "Its main has to begin with PublishedSpecification.emitIfAsked().")
        }
        try destination.write(Data(specification.pretty().utf8))
    }

    private func printed() async throws -> Data {
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
        let timer = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: timer)
        defer {
            timer.cancel()
            process.terminate()
        }
        var bytes = Data()
        while bytes.count <= SpecificationLimits.bytes,
            let piece = try pipe.fileHandleForReading.read(upToCount: 65_536), !piece.isEmpty
        {
            bytes += piece
        }
        return bytes
    }
}
