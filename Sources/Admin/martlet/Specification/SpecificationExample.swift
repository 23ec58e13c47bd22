import AppSpecification
import ArgumentParser
import Foundation
import InputBounds

/// The command `martlet spec example`.
struct SpecificationExample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Write a configuration to begin with, as a property list.",
        discussion: """
            It is the specification's first sample, or made of the keys' defaults, examples and bounds. With --json it \
            is JSON, where dates and data are texts.
            """)

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @Flag(help: "Write JSON.")
    var json = false

    func run() async throws {
        let example = try SpecificationFile.read(specification).example()
        Terminal.write(json ? JSONValue(describing: example).encoded() + Data("\n".utf8) : example.xml())
    }
}
