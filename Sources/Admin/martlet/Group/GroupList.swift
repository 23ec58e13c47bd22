import AdminMessages
import ArgumentParser

/// The command `martlet group list`.
struct GroupList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the groups.")

    @OptionGroup var output: Output

    func run() async throws {
        let groups: [Group] = try await Server.inSession { try await $0.list("groups") }
        try output.print(groups, nothing: "No groups yet: martlet group create <name>") {
            var table = Table("GROUP", "DEVICES")
            for group in groups { table.add(group.name, group.deviceCount.map(String.init)) }
            return table
        }
    }
}
