import AdminMessages
import ArgumentParser

/// The command `martlet app source remove`.
struct AppSourceRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a source from an app.",
        discussion: "Devices then get the app from the next source for their platform.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("linux, macos, ios or visionos.", valueName: "platform"))
    var platform: String

    @Option(help: ArgumentHelp("package, manifest, app-store or installed.", valueName: "origin"))
    var origin: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["apps", app, "sources", platform, origin]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: AppSource.self))
        }
        try output.done(["app": app, "platform": platform, "origin": origin]) {
            """
            Devices with \(AppSourceText.platform(platform)) no longer get \(Printable.line(app)) by \
            \(Printable.line(origin)).
            """
        }
    }
}
