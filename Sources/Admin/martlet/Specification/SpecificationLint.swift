import AppSpecification
import ArgumentParser

/// The command `martlet spec lint`.
struct SpecificationLint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Say what is wrong with a specification, and what its readers will miss.",
        discussion: "Ends with status 4 when something is wrong; with --strict also when something is missed.")

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @Flag(help: "Take warnings as seriously as errors.")
    var strict = false

    @OptionGroup(title: "Output") var form: Output

    private struct Finding: Encodable {
        let severity, path, rule, message: String
    }

    func run() async throws {
        let found = try SpecificationFile.read(specification).lint()
        let findings = found.map {
            Finding(severity: $0.severity.rawValue, path: $0.path, rule: $0.rule, message: $0.message)
        }
        try form.print(findings) {
            found.isEmpty
                ? "Nothing to say against it."
                : found.map { "\($0.severity.rawValue): \(Printable.line($0.description))" }.joined(separator: "\n")
        }
        let errors = found.count { $0.severity == .error }
        guard errors == 0, !strict || found.isEmpty else {
            throw Failure(.refused, "\(errors) errors, \(found.count - errors) warnings")
        }
    }
}
