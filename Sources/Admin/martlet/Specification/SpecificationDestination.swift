import ArgumentParser
import Foundation

/// Where a command writes what it made.
struct SpecificationDestination: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to write it; standard output if left out.", valueName: "file"))
    var output: String?

    func write(_ bytes: Data) throws(Failure) {
        guard let output else { return Terminal.write(bytes) }
        do {
            try bytes.write(to: URL(filePath: output), options: .atomic)
        } catch {
            throw Failure(.failed, "the file cannot be written", advice: "Its path is \(Printable.line(output)).")
        }
    }
}
