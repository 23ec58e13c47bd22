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

    // An app that does not know what is asked of it may run forever.
    private static let patience: TimeInterval = 20

    func run() async throws {
        try destination.requireFree()
        let data = try PrintedSpecification.read(from: program, patience: Self.patience)
        let specification: AppSpecification
        do {
            specification = try AppSpecification(parsing: data)
        } catch {
            // Of what is no object at all, line and column say nothing.
            let isObject = data.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "{")
            throw Failure(
                .refused, "the program \(program) printed no specification" + (isObject ? ": \(error)" : ""),
                advice: "Its main has to begin with PublishedSpecification.emitIfAsked().")
        }
        try destination.write(Data(specification.pretty().utf8))
    }
}
