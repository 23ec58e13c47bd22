import AppSpecification
import ArgumentParser

/// The command `martlet spec lint`.
struct SpecificationLint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Say what is wrong with a specification, and what its readers will miss.",
        discussion: "Ends with status 4 when something is wrong; with --strict also when something is missed.")

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @OptionGroup var findings: ReportedFindings

    func run() async throws {
        let found = try SpecificationFile.read(specification).lint()
        try findings.report(found.map(ReportedFindings.Finding.init), nothing: "Nothing to say against it.")
    }
}
