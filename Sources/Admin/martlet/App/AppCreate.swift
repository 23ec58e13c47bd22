import AdminMessages
import ArgumentParser

/// The command `martlet app create`.
struct AppCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an app known, or change its name.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "The app's name for people; the bundle identifier if left out.")
    var name: String?

    @Option(help: ArgumentHelp("The developer's team identifier.", valueName: "team"))
    var team: String?

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let value = App(bundleIdentifier: app, name: name ?? app, teamIdentifier: team)
        try await Server.inSession { server in
            let place = ["apps", app]
            _ = try await server.send(
                .put, place, body: .init(json: value), headers: server.headers(condition, place, as: App.self))
        }
        try output.print(value) { "The app \(Printable.line(app)) is known." }
    }
}
