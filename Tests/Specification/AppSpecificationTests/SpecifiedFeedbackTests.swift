import AppSpecification
import InputBounds
import Testing

/// What an app says of what it counts is read, written and compared.
struct SpecifiedFeedbackTests {
    private static func made(_ feedback: [SpecifiedFeedback]) throws -> AppSpecification {
        try AppSpecification(
            app: SpecifiedApp(bundleIdentifier: "a"), configuration: SpecifiedKey(reading: .object([:])),
            feedback: feedback)
    }

    @Test func comesBackFromTheDocumentItIsWrittenTo() throws {
        let said = SpecifiedFeedback(
            key: "failureCount", title: "Failures", description: "Pages.", purpose: "To find them.",
            retention: "90 days")
        let made = try Self.made([said, SpecifiedFeedback(key: "b")])
        #expect(try AppSpecification(parsing: made.canonical()).feedback == [said, SpecifiedFeedback(key: "b")])
        #expect(try Self.made([]).document["x-feedback"] == nil)
    }

    /// Administrators hear what is collected newly, or otherwise; no configuration breaks by it.
    @Test func whatIsCollectedNewlyOrOtherwiseIsAChange() throws {
        let before = try Self.made([
            SpecifiedFeedback(key: "a", purpose: "x", retention: "a day"), SpecifiedFeedback(key: "b"),
        ])
        let after = try Self.made([
            SpecifiedFeedback(key: "a", purpose: "y", retention: "a year"), SpecifiedFeedback(key: "c"),
        ])
        let changes = after.changes(since: before)
        #expect(changes.count == 4)
        let texts = [
            "why the feedback \"a\"", "for how long the feedback \"a\"", "\"c\" is collected", "\"b\" is not",
        ]
        for text in texts {
            #expect(changes.contains { $0.message.contains(text) }, "\(text)")
        }
        #expect(changes.allSatisfy { !$0.breaksOldConfigurations && !$0.breaksOldApps })
    }
}
