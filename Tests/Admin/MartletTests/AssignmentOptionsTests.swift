import AdminMessages
import ArgumentParser
import Testing
import martlet

/// What `martlet assign` sends, and what it says came of it.
struct AssignmentOptionsTests {
    private func complaint(_ arguments: [String]) -> String {
        do {
            _ = try AssignmentOptions.parse(arguments)
            return ""
        } catch {
            return AssignmentOptions.message(for: error)
        }
    }

    /// Red: what no option mentioned was sent as none, and taken away.
    @Test(
        arguments: [
            ([], AssignmentPatch()),
            (["--priority", "10"], AssignmentPatch(priority: .becomes(10))),
            (["--lowest-trust", "verified"], AssignmentPatch(lowestTrust: .becomes("verified"))),
            (["--configuration", "main"], AssignmentPatch(configuration: .becomes("main"))),
            (["--delivery", "both"], AssignmentPatch(delivery: .becomes("both"))),
            (
                ["--no-configuration", "--no-lowest-trust", "--no-install", "--no-priority"],
                AssignmentPatch(configuration: .goes, lowestTrust: .goes, install: .goes, priority: .goes)
            ),
            (
                ["--extension", "a.b.x=main", "--no-extension", "a.b.y"],
                AssignmentPatch(extensions: .becomes(["a.b.x": .becomes("main"), "a.b.y": .goes]))
            ),
        ] as [([String], AssignmentPatch)])
    func sendsWhatIsMentionedAndNothingElse(arguments: [String], patch: AssignmentPatch) throws {
        #expect(try AssignmentOptions.parse(arguments).patch == patch)
    }

    @Test(
        arguments: [
            (["--configuration", "a", "--no-configuration"], "give --configuration or --no-configuration, not both"),
            (["--priority", "1", "--no-priority"], "give --priority or --no-priority, not both"),
            (["--install", "optional", "--no-install"], "give --install or --no-install, not both"),
            (["--lowest-trust", "shared", "--no-lowest-trust"], "give --lowest-trust or --no-lowest-trust, not both"),
            (["--extension", "a.b.x=a", "--no-extension", "a.b.x"], "an extension gets one configuration, or none"),
        ] as [([String], String)])
    func takesNothingThatIsSaidAndTakenAway(arguments: [String], sentence: String) {
        let said = complaint(arguments)
        #expect(said.contains(sentence), "\(said)")
    }

    @Test func saysWhatChangesAndWhatStays() {
        var assignment = Assignment(group: "g", app: "a.b", configuration: "main", priority: 10, changed: ["priority"])
        #expect(
            AssignmentText.made(assignment) == """
                g gets a.b with the configuration main.
                Changed: priority 10. As before: configuration main.
                """)
        assignment.changed = []
        let same = "g gets a.b with the configuration main, as before: nothing changes."
        #expect(AssignmentText.made(assignment) == same)
        assignment.changed = nil
        assignment.extensions = ["a.b.x": "x"]
        #expect(AssignmentText.made(assignment) == "g gets a.b with the configuration main, a.b.x with x.")
        let without = Assignment(group: "g", app: "a.b", changed: ["configuration"])
        #expect(
            AssignmentText.made(without, isDryRun: true) == """
                g would get a.b without a configuration.
                Would change: no configuration.
                """)
    }
}
