import AdminMessages
import ArgumentParser

/// The command `martlet app source list`.
struct AppSourceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List where devices get an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let sources: [AppSource] = try await Server.inSession { try await $0.list("apps", app, "sources") }
        try output.print(
            sources, nothing: "No sources: devices with Linux or macOS take over an installed app."
        ) { AppSourceText.table(sources) }
    }
}
