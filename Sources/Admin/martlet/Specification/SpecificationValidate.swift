import AppSpecification
import ArgumentParser
import Foundation
import InputBounds
import JSONSchema

/// The command `martlet spec validate`.
struct SpecificationValidate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check a configuration against a specification.",
        discussion: """
            The configuration is a property list or JSON; in JSON, dates and data are texts where the specification \
            asks for them. Each violation names the key, what is there (its type, never its value) and what is allowed. \
            Ends with status 4 when the app would refuse the configuration; with --strict also on warnings.
            """)

    @Argument(help: "The specification.", completion: .file())
    var specification: String

    @Argument(help: "The configuration; - is standard input.", completion: .file())
    var configuration: String

    @Option(help: ArgumentHelp("Judge it for one of the app's extensions.", valueName: "identifier"))
    var `extension`: String?

    @Option(help: "plist or json; found out from the file if left out.")
    var format: DocumentForm?

    @OptionGroup var findings: ReportedFindings

    func run() async throws {
        var specification = try SpecificationFile.read(specification)
        if let identifier = self.extension {
            guard let inner = specification.extensions[identifier] else {
                throw Self.noExtension(identifier, among: specification.extensions.keys.sorted())
            }
            specification = inner
        }
        let list = try document(specification)
        let found = specification.findings(in: list) + ForeignVariable.findings(in: list)
        try findings.report(
            found.map(ReportedFindings.Finding.init), nothing: "The configuration is as the app wants it.")
    }

    private static func noExtension(_ identifier: String, among known: [String]) -> Failure {
        let failure = Failure(
            .notFound, "the specification has no extension \(identifier)",
            advice: known.isEmpty ? "It has no extensions." : "It has " + known.joined(separator: ", ") + ".")
        return NearestWord.to(identifier, among: known).map { failure.suggesting($0) } ?? failure
    }

    private func document(_ specification: AppSpecification) throws -> PropertyListValue {
        let input = try ConfigurationDocument.input(at: configuration)
        let form = format ?? ConfigurationDocument.form(of: input, path: configuration)
        guard form == .json else {
            let document = try ConfigurationDocument(reading: input, as: .plist)
            return try PropertyListValue(parsing: document.bytes, limits: .configuration)
        }
        return try PropertyListFromJSON.convert(ConfigurationDocument.json(input), as: specification.configuration)
    }
}
