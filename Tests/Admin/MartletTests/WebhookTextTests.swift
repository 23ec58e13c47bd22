import AdminMessages
import Foundation
import Testing
import martlet

/// The state of a webhook as people read it.
@Suite struct WebhookTextTests {
    private func webhook(_ state: String, _ reason: String? = nil) -> Webhook {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        return Webhook(
            name: "tickets", url: "https://example.com/a", events: ["*"], state: state, reason: reason,
            disabled: reason == nil ? nil : time, author: "admin", created: time, cursor: 1,
            waiting: BoundedCount(count: 0, isMore: false), failures: 0, failingSince: nil, nextAttempt: nil,
            lastDelivered: nil, problem: nil, secretMade: time, previousSecretEnds: nil)
    }

    /// Red where a webhook whose secret was forgotten was disabled "by-administrator", without a remedy.
    @Test func aForgottenSecretHasItsRemedy() {
        #expect(WebhookText.state(webhook("active")) == "active")
        #expect(WebhookText.state(webhook("disabled", "gone")) == "disabled, gone")
        #expect(
            WebhookText.state(webhook("disabled", "secret-forgotten"))
                == "disabled, secret-forgotten: martlet webhook rotate tickets")
    }
}
