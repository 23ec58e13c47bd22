import AdminMessages
import ArgumentParser

/// The command `martlet group delete`.
struct GroupDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a group that nothing uses.")

    @Argument(help: "The group's name.")
    var name: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["groups", name]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: Group.self))
        }
        try output.done(["group": name]) { "Deleted the group \(Printable.line(name))." }
    }
}
