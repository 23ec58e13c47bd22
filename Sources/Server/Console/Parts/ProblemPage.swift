package import AdminMessages

/// Pages that say why something was refused, in the API's words.
package enum ProblemPage {
    static let nothingHere = Problem(
        type: "urn:martlet:problem:not-found", title: "There is nothing here", status: 404,
        detail: "The page may have been for something that was removed.")

    /// Whether the person is signed in and the page may have its navigation.
    static func isShownInPlace(_ refusal: AdminRefused) -> Bool {
        refusal.status != 401 && refusal.problem.type != "urn:martlet:problem:password-must-change"
    }

    static func answer(_ problem: Problem) -> ConsoleAnswer {
        .page(Shell.bare(problem.title, explanation(problem)), status: problem.status)
    }

    static func answer(_ problem: Problem, in call: ConsoleCall) -> ConsoleAnswer {
        call.page(problem.title, in: nil, status: problem.status, explanation(problem))
    }

    /// The same inside a page, above a form that was refused.
    package static func alert(_ problem: Problem) -> HTML {
        "<div class=\"alert\" role=\"alert\"><p><strong>\(problem.title)</strong></p>\(details(problem))</div>"
    }

    private static func explanation(_ problem: Problem) -> HTML {
        """
        \(details(problem))
        <p><a href="\(ConsolePages.root)">To the overview</a></p>
        """
    }

    private static func details(_ problem: Problem) -> HTML {
        let detail: HTML? = problem.detail.map { "<p>\($0)</p>" }
        let findings: [HTML] = (problem.findings ?? []).map { finding in
            let suggestion: String = finding.suggestion.map { ". " + $0 } ?? ""
            return "<li>\(finding.weight)<code>\(finding.path)</code> \(finding.message)\(suggestion)</li>"
        }
        return "\(detail)\(findings.isEmpty ? nil : "<ul>\(findings)</ul>" as HTML)"
    }
}

extension Finding {
    /// What goes before its words: among reasons for a refusal, a warning is no reason.
    var weight: String { severity == .warning ? "Warning: " : "" }
}
