import AdminMessages
import ArgumentParser

/// The command `martlet app create`.
struct AppCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an app known, or change its name.",
        discussion: "Of an app that is known already, what is not given here stays as it was.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "The app's name for people; of a new app the bundle identifier if left out.")
    var name: String?

    @Option(help: ArgumentHelp("The developer's team identifier.", valueName: "team"))
    var team: String?

    @Flag(help: "No team is said: the app's first package says it.")
    var noTeam = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost(["--team": team != nil, "--no-team": noTeam])
    }

    func run() async throws {
        let kept: App = try await Server.inSession { server in
            try await server.change(["apps", app], condition) { (present: App?) in
                App(
                    bundleIdentifier: app, name: name ?? present?.name ?? app,
                    teamIdentifier: noTeam ? nil : team ?? present?.teamIdentifier)
            }.decoded()
        }
        try output.print(kept) {
            "The app \(Printable.line(app)) is known as \(Printable.line(kept.name))"
                + (kept.teamIdentifier.map { ", of the team \(Printable.line($0))" } ?? "") + "."
        }
    }
}
