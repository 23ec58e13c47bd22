import AdminMessages
import ArgumentParser

/// The command `martlet assign`.
struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an app to a group.",
        discussion: "Assigning again replaces the configuration; the app stays on the devices.")

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("The configuration the app gets.", valueName: "name"))
    var configuration: String?

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession {
            try await $0.put(AssignmentRequest(configuration: configuration), "assignments", group, app)
        }
        try output.print(Assignment(group: group, app: app, configuration: configuration)) {
            let with =
                configuration.map { " with the configuration \(Printable.line($0))" } ?? " without a configuration"
            return "\(Printable.line(group)) gets \(Printable.line(app))\(with)."
        }
    }
}
