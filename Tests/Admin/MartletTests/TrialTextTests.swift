import AdminMessages
import Testing
import martlet

/// What the administrator reads of a trial, and with which status the command ends.
struct TrialTextTests {
    private static func failure(_ trial: ConfigurationTrial) -> Failure? {
        TrialText.failure(trial, device: "D1", within: TimeSpan(.seconds(60)))
    }

    @Test func onlyTheAppsRefusalEndsWithItsStatus() {
        #expect(Self.failure(ConfigurationTrial(state: .accepted)) == nil)
        let refused = ConfigurationTrial(state: .refused, refusal: TrialRefusal(code: 100))
        #expect(Self.failure(refused)?.status == .refused)
        for state in ["waiting", "running", "untried", "expired", "cancelled", "failed", "new"] {
            let failure = Self.failure(ConfigurationTrial(state: TrialState(rawValue: state)))
            #expect(failure?.status == .failed && failure?.advice?.isEmpty == false, "\(state)")
        }
    }

    /// Each reason has words of its own, and says what to do.
    @Test func everyReasonHasItsAdvice() {
        let reasons: [TrialReason] = [
            .unsupportedDevice, .missingValues, .notManaged, .notInstalled, .needsFullAccess, .notRunning,
            .notIterating,
            .unsupported, .timedOut, .ended,
        ]
        let failures = reasons.compactMap { Self.failure(ConfigurationTrial(state: .untried, reason: $0)) }
        #expect(Set(failures.map(\.reason)).count == reasons.count)
        #expect(Set(failures.compactMap(\.advice)).count == reasons.count)
        let missing = ConfigurationTrial(state: .untried, reason: .missingValues, missing: ["person.email"])
        #expect(Self.failure(missing)?.reason.contains("${person.email}; nothing was sent") == true)
    }

    /// What the app publishes about the code stands under its own words.
    @Test func aRefusalSaysWhatToDo() {
        let explanation = RefusalExplanation(
            name: "unknownLandmark", meaning: "No such landmark.", remedy: "Use 1001 to 1012.", specification: "1.0",
            isNearest: true)
        let refusal = TrialRefusal(code: 100, message: "m", explanation: explanation)
        let text = TrialText.sentence(ConfigurationTrial(state: .refused, refusal: refusal), app: "a", device: "d")
        #expect(text.contains("unknownLandmark: No such landmark.") && text.contains("Use 1001 to 1012."))
        #expect(text.contains("the app's specification of version 1.0, the nearest that was published"))
    }

    /// An app's words are its own: no terminal is made to do anything by them.
    @Test func anAppsWordsAreShownOnOneLine() {
        let refusal = TrialRefusal(
            code: 7, message: "a\u{1B}[2Jb\nc", keyPath: "k", keyPathSupplied: true, type: "T\u{7}")
        let text = TrialText.sentence(ConfigurationTrial(state: .refused, refusal: refusal), app: "a", device: "d")
        #expect(text.contains("k (where the decoder was)"))
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
        #expect(text.split(separator: "\n").count == 5)
    }
}
