import ArgumentParser
import Testing
import martlet

/// Options of the commands of webhooks that need another one.
@Suite struct WebhookOptionsTests {
    private func refusal(_ words: [String]) -> String? {
        do {
            _ = try Martlet.parseAsRoot(["webhook"] + words)
            return nil
        } catch {
            return Martlet.message(for: error)
        }
    }

    /// Red where the wait for a test event that was not asked for was passed over in silence.
    @Test func aWaitGoesWithATry() {
        let add = ["add", "x", "--url", "https://a.example/"]
        #expect(refusal(add) == nil)
        #expect(refusal(add + ["--wait", "5s"]) == "--wait goes with --try")
        #expect(refusal(add + ["--try", "--wait", "5s"]) == nil)
        #expect(refusal(["test", "x", "--wait", "5s"]) == nil)
    }
}
