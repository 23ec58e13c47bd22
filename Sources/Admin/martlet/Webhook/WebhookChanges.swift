import AdminMessages
import ArgumentParser
import NIOHTTP1

/// The command `martlet webhook set`.
struct WebhookSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a webhook's URL or its events; enable or disable it.",
        discussion: """
            One that is enabled again goes on from where it stood. The next attempt is made at once; a failing one stays so \
            until its receiver takes an event. An event that is added is sent from then on: nothing from before the change \
            is sent because of it.
            """)

    @Argument(help: "The webhook's name.")
    var name: String

    @Option(help: "Where events go; as it is without it.")
    var url: String?

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp("An event to send; without it the events stay as they are.", valueName: "action"))
    var events: [String] = []

    @Flag(help: "Send to it again, from where it stands.")
    var enable = false

    @Flag(help: "Send nothing to it until it is enabled.")
    var disable = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost(["--enable": enable, "--disable": disable])
        guard url != nil || !events.isEmpty || enable || disable else {
            throw ValidationError("say what to change: --url, --event, --enable or --disable")
        }
    }

    func run() async throws {
        let webhook: Webhook = try await Server.inSession { server in
            for _ in 1..<Self.attempts {
                do {
                    return try await set(server)
                } catch let failure as Failure where failure.isChangedMeanwhile {
                    // A delivery came in between, or somebody else: what they did is not put back.
                }
            }
            return try await set(server)
        }
        try output.print(webhook) { WebhookText.facts(webhook).text }
    }

    private static let attempts = 10

    /// Changes what is there now in what was asked for, and in nothing else.
    private func set(_ server: Server) async throws -> Webhook {
        let present = try await server.send(.get, ["webhooks", name])
        let old: Webhook = try present.decoded()
        let change = WebhookChange(
            url: url ?? old.url, events: events.isEmpty ? old.events : events,
            enabled: enable || (!disable && old.state != "disabled"))
        return try await server.send(
            .put, ["webhooks", name], body: .init(json: change),
            headers: present.headers.first(name: "ETag").map { [("If-Match", $0)] } ?? []
        ).decoded()
    }
}

/// The command `martlet webhook remove`.
struct WebhookRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a webhook with its secrets and its history.",
        discussion: "Neither comes back with a new webhook of that name, so the command asks first.")

    @Argument(help: "The webhook's name.")
    var name: String

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            // The webhook is known by now, and its name is printed.
            _ = try await server.send(.get, ["webhooks", name])
            try confirmation.ask(
                "Remove \(Printable.line(name))? Its secrets and its history are removed with it.",
                undone: "nothing was removed")
            try await server.delete("webhooks", name)
        }
        try output.done(["name": name]) { "Removed the webhook \(Printable.line(name))." }
    }
}
