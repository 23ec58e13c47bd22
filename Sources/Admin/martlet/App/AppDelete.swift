import AdminMessages
import ArgumentParser

/// The command `martlet app delete`.
struct AppDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Forget an app that is no longer assigned.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["apps", app]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: App.self))
        }
        try output.done(["app": app]) { "Deleted the app \(Printable.line(app)) and its configurations." }
    }
}
