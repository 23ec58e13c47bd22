import AdminMessages
import ArgumentParser

/// The command `martlet token create`.
struct TokenCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an API token. Its text is shown only once.")

    @Argument(help: "What it is called, in the list and in the audit log.")
    var name: String

    @OptionGroup var rights: RightsOptions

    @Option(help: ArgumentHelp("How long it is valid, such as 12h or 90d; a year at most.", valueName: "span"))
    var valid: TimeSpan

    @Flag(help: "It may only look.")
    var readOnly = false

    @Flag(help: "It may manage administrators.")
    var administers = false

    @OptionGroup var output: Output

    func run() async throws {
        let wish = rights.request
        let request = TokenRequest(
            name: name, validSeconds: valid.seconds, role: wish.role, apps: wish.apps, groups: wish.groups,
            readOnly: readOnly ? true : nil, administers: administers ? true : nil)
        let made: TokenAnswer = try await Server.inSession { try await $0.post(request, "tokens") }
        try output.print(made) {
            var facts = Facts()
            facts.add("token", made.token)
            facts.add("id", made.summary.id)
            facts.add("may", TokenText.scope(made.summary))
            facts.add("expires", made.summary.expires.shown)
            return facts.text + "\n\nThe token is shown only once. Anybody who has it can do this in your name."
        }
    }
}
