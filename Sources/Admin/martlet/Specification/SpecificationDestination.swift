import ArgumentParser
import Foundation

/// Where a command writes what it made.
struct SpecificationDestination: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where to write it; standard output if left out, or if it is -.", valueName: "file"))
    var output: String?

    @OptionGroup var target: WrittenFile

    /// Refuses a file that is there already; to be asked before anything is made.
    func requireFree() throws(Failure) { try target.requireFree(WrittenFile.path(output), mayBeDevice: true) }

    func write(_ bytes: Data) throws(Failure) {
        guard let path = WrittenFile.path(output) else { return Terminal.write(bytes) }
        try target.requireFree(path, mayBeDevice: true)
        try LocalFile.write(bytes, to: path)
    }
}
