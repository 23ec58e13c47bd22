import AdminMessages
import ArgumentParser

/// The command `martlet group create`.
struct GroupCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a group.")

    @Argument(help: "The group's name.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Which devices are in it; martlet group rule --help says how it is written.", valueName: "rule"))
    var rule: String?

    @OptionGroup var output: Output

    func run() async throws {
        let wish = Group(name: name, rule: rule)
        let group: Group = try await Server.inSession { try await $0.post(wish, "groups") }
        try output.print(group) {
            "Created the group \(Printable.line(group.name))." + (rule == nil ? "" : " " + GroupText.devices(in: group))
        }
    }
}
