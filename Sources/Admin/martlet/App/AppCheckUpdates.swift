import ArgumentParser

/// The command `martlet app check-updates`.
struct AppCheckUpdates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-updates", abstract: "Make devices look for an update of an app now.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        _ = try await Server.inSession { try await $0.send(.post, ["apps", app, "update-check"]) }
        try output.done(["app": app]) { "Devices look for an update of \(Printable.line(app))." }
    }
}
