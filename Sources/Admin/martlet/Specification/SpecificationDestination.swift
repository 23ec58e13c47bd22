import ArgumentParser
import Foundation

/// Where a command writes what it made.
struct SpecificationDestination: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to write it; standard output if left out.", valueName: "file"))
    var output: String?

    @OptionGroup var target: WrittenFile

    /// Refuses a file that is there already; to be asked before anything is made.
    func requireFree() throws(Failure) { try target.requireFree(output) }

    func write(_ bytes: Data) throws(Failure) {
        guard let output else { return Terminal.write(bytes) }
        try target.requireFree(output)
        try LocalFile.write(bytes, to: output)
    }
}
