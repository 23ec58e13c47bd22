import AdminMessages
import ArgumentParser

/// The command `martlet group create`.
struct GroupCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a group.")

    @Argument(help: "The group's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let group: Group = try await Server.inSession { try await $0.post(Group(name: name), "groups") }
        try output.print(group) { "Created the group \(Printable.line(group.name))." }
    }
}
