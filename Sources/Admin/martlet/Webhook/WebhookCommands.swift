package import AdminMessages
import ArgumentParser

/// The command `martlet webhook …`.
struct WebhookCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Addresses of other systems to which the server sends events.",
        discussion: """
            The server sends a webhook each entry of the audit log that it asks for, in order, once the entry is on \
            disk. It signs them as Standard Webhooks prescribe, and repeats them until the receiver takes them. A \
            webhook that asks for the event app.feedback gets apps' feedback as well.
            """,
        subcommands: [
            WebhookAdd.self, WebhookList.self, WebhookShow.self, WebhookSet.self, WebhookRemove.self,
            WebhookRotate.self, WebhookRedeliver.self, WebhookTest.self,
        ])
}

/// Webhooks as people read them.
package enum WebhookText {
    package static func state(_ webhook: Webhook) -> String {
        let state = webhook.reason.map { "\(webhook.state), \($0)" } ?? webhook.state
        return webhook.reason == Webhook.secretForgotten
            ? "\(state): martlet webhook rotate \(Printable.line(webhook.name))" : state
    }

    static func waiting(_ webhook: Webhook) -> String {
        webhook.waiting.isMore ? "more than \(webhook.waiting.count)" : "\(webhook.waiting.count)"
    }

    static func facts(_ webhook: Webhook) -> Facts {
        var facts = Facts()
        facts.add("name", webhook.name)
        facts.add("url", webhook.url)
        facts.add("events", webhook.events.joined(separator: " "))
        facts.add("state", state(webhook))
        facts.add("disabled", webhook.disabled?.shown)
        facts.add("delivered", "up to entry \(webhook.cursor)")
        facts.add("feedback", webhook.feedback.map { "up to \($0.cursor), \($0.skipped) deleted before delivery" })
        facts.add("waiting", waiting(webhook))
        facts.add("last delivered", webhook.lastDelivered?.shown ?? "never")
        facts.add("problem", webhook.problem)
        if webhook.failures > 0 {
            facts.add("failed attempts", "\(webhook.failures)")
            facts.add("failing since", webhook.failingSince?.shown)
            facts.add("next attempt", webhook.nextAttempt?.shown)
        }
        facts.add("secret made", webhook.secretMade.shown)
        facts.add("secret before", webhook.previousSecretEnds.map { "until \($0.shown)" })
        facts.add("added", "\(webhook.created.shown) by \(webhook.author)")
        return facts
    }

    static func secret(_ answer: WebhookAnswer) -> String {
        var facts = facts(answer.webhook)
        facts.add("secret", answer.secret)
        return facts.text + "\n\nThe secret is shown only once. The receiver checks signatures by it."
    }

    /// The failure of a test event that was sent to a webhook as it was added.
    static func trialFailed(_ failure: Failure, of webhook: String) -> Failure {
        let name = Printable.line(webhook)
        return Failure(
            failure.status, failure.reason,
            advice: """
                The webhook is added and stays. martlet webhook test \(name) tries it again, martlet webhook set changes \
                its address, martlet webhook remove removes it.
                """)
    }

    private static func entry(_ delivery: WebhookDelivery) -> String? {
        delivery.sequence.map { "\($0)" } ?? delivery.feedback.map { "feedback \($0)" }
    }

    static func table(_ deliveries: [WebhookDelivery]) -> Table {
        var table = Table("NUMBER", "KIND", "ENTRY", "STATE", "ATTEMPTS", "LAST", "PROBLEM")
        for delivery in deliveries {
            table.add(
                "\(delivery.number)", delivery.kind, entry(delivery), delivery.state,
                "\(delivery.attempts)", delivery.attempted?.shown, delivery.problem)
        }
        return table
    }
}
