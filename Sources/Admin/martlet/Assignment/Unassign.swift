import AdminMessages
import ArgumentParser

/// The command `martlet unassign`.
struct Unassign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take an app from a group.",
        discussion: "The app and its configuration leave every device that has it only through this group.")

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["assignments", group, app]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: Assignment.self))
        }
        try output.done(["group": group, "app": app]) {
            "\(Printable.line(group)) no longer gets \(Printable.line(app))."
        }
    }
}
