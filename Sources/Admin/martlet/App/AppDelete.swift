import ArgumentParser

/// The command `martlet app delete`.
struct AppDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Forget an app that is no longer assigned.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("apps", app) }
        try output.done(["app": app]) { "Deleted the app \(Printable.line(app)) and its configurations." }
    }
}
