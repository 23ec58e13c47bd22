import AdminMessages
import Console
import Testing

/// Why something was refused, as a page says it.
struct ProblemPageTests {
    /// Red where a warning stood among the reasons as if the app refused it.
    @Test func aWarningIsCalledOne() {
        let problem = Problem(
            type: "urn:martlet:problem:invalid", title: "The app would refuse the configuration.", status: 422,
            findings: [
                Finding(path: "title", rule: "required", message: "is missing"),
                Finding(path: "titel", rule: "unknownKey", message: "is not known", severity: .warning),
            ])
        let text = ProblemPage.alert(problem).text
        #expect(text.contains("<li><code>title</code> is missing</li>"), "\(text)")
        #expect(text.contains("<li>Warning: <code>titel</code> is not known</li>"), "\(text)")
    }
}
