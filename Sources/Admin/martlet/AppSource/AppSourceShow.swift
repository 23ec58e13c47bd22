import AdminMessages
import ArgumentParser

/// The command `martlet app source show`.
struct AppSourceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one source of an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("linux, macos, ios or visionos.", valueName: "platform"))
    var platform: String

    @Option(help: ArgumentHelp("package, manifest, app-store or installed.", valueName: "origin"))
    var origin: String

    @OptionGroup var output: Output

    func run() async throws {
        let source: AppSource = try await Server.inSession {
            try await $0.get("apps", app, "sources", platform, origin)
        }
        try output.print(source) {
            AppSourceText.table([source]).text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
