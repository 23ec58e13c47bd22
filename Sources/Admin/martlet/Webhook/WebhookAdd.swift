import AdminMessages
import ArgumentParser

/// The command `martlet webhook add`.
struct WebhookAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have the server send events to an address, from now on.",
        discussion: """
            Prints the secret that its receiver checks signatures by. It is shown only once. A receiver that checks them \
            needs the secret before it takes an event: give it the secret, then try it with martlet webhook test. For \
            any other, --try does this at once, and --json prints what came of it as trial; if the event is not delivered, \
            the command ends with 1, and the webhook stays. If the wait is interrupted, --json prints the secret without a \
            trial.
            """)

    @Argument(help: "What it is called.")
    var name: String

    @Option(help: "Where events go: an https URL.")
    var url: String

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp(
            """
            An action such as secret.release, all of a kind such as secret.*, alert.* for problems of apps and devices \
            (alert.refused, alert.failed, alert.withheld, alert.unseen), '*' for all, or app.feedback for what apps \
            hand over, with its values, which '*' does not mean; more than once if need be ('*').
            """,
            valueName: "action"))
    var events: [String] = []

    @Flag(name: .customLong("try"), help: "Send a test event at once, and say what came of it.")
    var tries = false

    @OptionGroup var sending: WebhookSending
    @OptionGroup var output: Output

    /// What programs get.
    private struct Shown: Encodable {
        let secret: String
        let webhook: Webhook
        /// What came of the test event, if one was sent.
        let trial: WebhookDelivery?

        init(_ made: WebhookAnswer, trial: WebhookDelivery? = nil) {
            (secret, webhook, self.trial) = (made.secret, made.webhook, trial)
        }
    }

    func validate() throws {
        guard tries || sending.given == nil else { throw ValidationError("--wait goes with --try") }
    }

    func run() async throws {
        let wish = WebhookRequest(name: name, url: url, events: events.isEmpty ? ["*"] : events)
        let made: WebhookAnswer = try await Server.inSession { try await $0.post(wish, "webhooks") }
        guard tries else {
            return try output.print(Shown(made)) {
                WebhookText.secret(made) + "\nTry the address: martlet webhook test \(Printable.line(name))"
            }
        }
        // The secret is shown only once: people read it before the trial can fail, programs whatever comes of the trial.
        if !output.json { Terminal.say(WebhookText.secret(made)) }
        do {
            let delivery = try await trial(of: made)
            try WebhookSending.requireTaken(delivery, at: name)
            if !output.json { Terminal.say(WebhookSending.text(delivery, at: name)) }
        } catch let failure as Failure {
            throw WebhookText.trialFailed(failure, of: name)
        }
    }

    /// Sends a test event; programs get the webhook with what came of that, or without it if nothing did.
    private func trial(of made: WebhookAnswer) async throws -> WebhookDelivery {
        guard output.json else { return try await sending.outcome(at: name, WebhookSending.testing(name)) }
        return try await PendingOutput.keep(Output.document(Shown(made))) { pending in
            let delivery = try await sending.outcome(at: name, WebhookSending.testing(name))
            pending.replace(by: try Output.document(Shown(made, trial: delivery)))
            return delivery
        }
    }
}

/// The command `martlet webhook rotate`.
struct WebhookRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a webhook a new secret, which is shown only once.",
        discussion: """
            For a while events are signed with both, so that the receiver can go over when it likes. A webhook that is \
            disabled because its secret was forgotten is enabled.
            """)

    @Argument(help: "The webhook's name.")
    var name: String

    @Option(
        help: ArgumentHelp("For how long the one before counts, too, up to 7d; 0 ends it at once.", valueName: "span"))
    var overlap = TimeSpan(.seconds(24 * 3_600))

    @OptionGroup var output: Output

    func run() async throws {
        let wish = WebhookRotationRequest(overlapSeconds: overlap.seconds)
        let made: WebhookAnswer = try await Server.inSession { try await $0.post(wish, "webhooks", name, "secret") }
        try output.print(made) { WebhookText.secret(made) }
    }
}
