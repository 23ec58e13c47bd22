import AppSpecification
import ArgumentParser
import JSONSchema

/// What a specification's check found, as `lint` and `validate` report it.
struct ReportedFindings: ParsableArguments {
    @Flag(help: "Take warnings as seriously as errors.")
    var strict = false

    @OptionGroup(title: "Output") var form: Output

    struct Finding: Encodable {
        let severity, path, rule, message: String
        var suggestion: String?
        /// For people.
        let sentence: String

        private enum CodingKeys: String, CodingKey { case severity, path, rule, message, suggestion }
    }

    /// Prints what was found, or `nothing`, and fails where that is serious.
    func report(_ findings: [Finding], nothing: String) throws {
        try form.print(findings) {
            findings.isEmpty
                ? nothing : findings.map { "\($0.severity): \(Printable.line($0.sentence))" }.joined(separator: "\n")
        }
        let errors = findings.count { $0.severity == "error" }
        guard errors == 0, !strict || findings.isEmpty else {
            let warnings = Count.text(findings.count - errors, "warning")
            throw Failure(.refused, "\(Count.text(errors, "error")), \(warnings)")
        }
    }
}

extension ReportedFindings.Finding {
    init(_ finding: LintFinding) {
        self.init(
            severity: finding.severity.rawValue, path: finding.path, rule: finding.rule, message: finding.message,
            sentence: finding.description)
    }

    init(_ finding: ConfigurationFinding) {
        self.init(
            severity: finding.severity.rawValue, path: finding.path.description, rule: finding.rule,
            message: finding.message, suggestion: finding.suggestion, sentence: finding.description)
    }
}
