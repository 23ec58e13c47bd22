import AppSpecification
import ArgumentParser
import Foundation

/// The command `martlet spec convert`.
struct SpecificationConvert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Read or write the formats in which others publish specifications.",
        discussion: """
            Formats: json-schema (Martlet's own; older drafts are read, too), appconfig-xml (AppConfig Community), \
            profile-manifest (ProfileManifests), android (managed configurations), jamf. What a format cannot carry is \
            listed on standard error, with its key; --strict ends with status 4 then.

              martlet spec convert specification.json --to appconfig-xml > appconfig.xml
              martlet spec convert com.example.notes.plist > specification.json
            """)

    @Argument(help: "What is to be converted; - is standard input.", completion: .file())
    var file: String

    @Option(help: "The file's format; found out from what it holds if left out.")
    var from: SpecificationFormat?

    @Option(help: "The format to write.")
    var to: SpecificationFormat = .jsonSchema

    @Option(help: ArgumentHelp("Which app it is about, where the file does not say.", valueName: "bundle identifier"))
    var app: String?

    @OptionGroup var destination: SpecificationDestination

    @Flag(help: "Write nothing if something cannot be carried.")
    var strict = false

    func run() async throws {
        let data = try SpecificationFile.bytes(at: file)
        do {
            let read = try SpecificationFormat.read(data, as: from, bundleIdentifier: app)
            let written = try SpecificationFormat.write(read.value, as: to)
            let notes = read.notes + written.notes
            for note in notes { Terminal.complain(Printable.line(note.description)) }
            if strict, notes.contains(where: { $0.kind == .loss }) {
                throw Failure(.refused, "not everything can be carried; nothing was written")
            }
            try destination.write(to == .jsonSchema ? Data(read.value.pretty().utf8) : written.value)
        } catch let refusal as SpecificationRefusal {
            throw Failure(.refused, "\(SpecificationFile.name(file)) cannot be converted: \(refusal)")
        }
    }
}

extension SpecificationFormat: ExpressibleByArgument {}
