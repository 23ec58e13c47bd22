import AdminMessages
import ArgumentParser

/// The command `martlet webhook redeliver`.
struct WebhookRedeliver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeliver", abstract: "Send an entry of the audit log to a webhook once more.",
        discussion: "It has the identifier that it had before, by which a receiver knows what it has seen.")

    @Argument(help: "The webhook's name.")
    var name: String

    @Argument(help: "The entry's number in the audit log.")
    var entry: Int

    @OptionGroup var sending: WebhookSending
    @OptionGroup var output: Output

    func run() async throws {
        try await sending.send(to: name, output) { server in
            try await server.post(RedeliveryRequest(sequence: entry), "webhooks", name, "deliveries")
        }
    }
}

/// The command `martlet webhook test`.
struct WebhookTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a test event to a webhook.",
        discussion: "It is sent to a disabled webhook, too.")

    @Argument(help: "The webhook's name.")
    var name: String

    @OptionGroup var sending: WebhookSending
    @OptionGroup var output: Output

    func run() async throws {
        try await sending.send(to: name, output, WebhookSending.testing(name))
    }
}

/// Has something sent, and waits for what comes of it.
struct WebhookSending: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: ArgumentHelp("How long to wait for what comes of it (30s); 0 does not wait.", valueName: "span"))
    var given: TimeSpan?

    private var wait: TimeSpan { given ?? TimeSpan(.seconds(30)) }

    func send(
        to name: String, _ output: Output, _ order: (Server) async throws -> WebhookDelivery
    ) async throws {
        let last = try await outcome(at: name, order)
        try Self.requireTaken(last, at: name)
        try output.print(last) { Self.text(last, at: name) }
    }

    /// What came of it, or that it is not sent yet.
    func outcome(
        at name: String, _ order: (Server) async throws -> WebhookDelivery
    ) async throws -> WebhookDelivery {
        try await Server.inSession { server in
            let ordered = try await order(server)
            guard wait.seconds > 0 else { return ordered }
            return try await Patience(wait.duration, for: "waiting for the receiver").wait {
                let sent: [WebhookDelivery] = try await server.list("webhooks", name, "deliveries", first: 100)
                return sent.first { $0.number == ordered.number && $0.state != "waiting" }
            } ?? ordered
        }
    }

    /// Refuses to go on where the receiver did not take it.
    static func requireTaken(_ delivery: WebhookDelivery, at name: String) throws(Failure) {
        guard delivery.state == "failed" else { return }
        throw Failure(
            .failed,
            "the webhook \(Printable.line(name)) did not take it"
                + (delivery.problem.map { ": \(Printable.line($0))" } ?? ""))
    }

    static func text(_ delivery: WebhookDelivery, at name: String) -> String {
        delivery.state == "delivered"
            ? "Delivered." : "It waits to be sent: martlet webhook show \(Printable.line(name))"
    }

    /// Orders a test event.
    static func testing(_ name: String) -> (Server) async throws -> WebhookDelivery {
        { server in try await server.send(.post, ["webhooks", name, "test"]).decoded() }
    }
}
