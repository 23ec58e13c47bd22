import AdminMessages
import ArgumentParser

/// The command `martlet person delete`.
struct PersonDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a person who has no device any more.")

    @Argument(help: "The user name.")
    var userName: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["people", userName]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: Person.self))
        }
        try output.done(["person": userName]) { "Deleted \(Printable.line(userName))." }
    }
}
