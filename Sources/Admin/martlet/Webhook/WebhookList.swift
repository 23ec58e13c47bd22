import AdminMessages
import ArgumentParser

/// The command `martlet webhook list`.
struct WebhookList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the webhooks and how they fare.")

    @OptionGroup var watching: Watching
    @OptionGroup var output: Output

    func run() async throws {
        try await watching.list(
            { (server: Server) -> [Webhook] in try await server.list("webhooks") }, id: \.name
        ) { webhooks in
            try output.print(webhooks, nothing: "No webhooks.") {
                var table = Table("NAME", "STATE", "WAITING", "LAST DELIVERED", "EVENTS", "URL")
                for webhook in webhooks {
                    table.add(
                        webhook.name, WebhookText.state(webhook), WebhookText.waiting(webhook),
                        webhook.lastDelivered?.shown ?? "never", webhook.events.joined(separator: " "), webhook.url)
                }
                return table
            }
        }
    }
}

/// The command `martlet webhook show`.
struct WebhookShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a webhook, and what was sent to it last.")

    /// What programs get.
    private struct Shown: Encodable {
        let webhook: Webhook
        let deliveries: [WebhookDelivery]
    }

    @Argument(help: "The webhook's name.")
    var name: String

    @Option(help: "How many deliveries to show, the newest first (20).")
    var deliveries = 20

    @OptionGroup var output: Output

    func validate() throws {
        guard (0...1_000).contains(deliveries) else { throw ValidationError("0 to 1000 deliveries are shown.") }
    }

    func run() async throws {
        let shown = try await Server.inSession { server in
            let webhook: Webhook = try await server.get("webhooks", name)
            let sent: [WebhookDelivery] =
                deliveries == 0 ? [] : try await server.list("webhooks", name, "deliveries", first: deliveries)
            return Shown(webhook: webhook, deliveries: sent)
        }
        try output.print(shown) {
            let facts = WebhookText.facts(shown.webhook).text
            guard !shown.deliveries.isEmpty else { return facts }
            let table = WebhookText.table(shown.deliveries)
            return facts + "\n\n" + table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
