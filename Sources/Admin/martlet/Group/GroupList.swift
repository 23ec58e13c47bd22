import AdminMessages
import ArgumentParser

/// The command `martlet group list`.
struct GroupList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the groups.")

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func run() async throws {
        try await watch.list({ try await $0.list("groups") as [Group] }, id: \.name, show: show)
    }

    private func show(_ groups: [Group]) throws {
        try output.print(groups, nothing: "No groups yet: martlet group create <name>") {
            var table = Table("GROUP", "DEVICES", "RULE")
            for group in groups {
                let count = group.deviceCount.map { "\($0)" + (group.judging == true ? ", being judged" : "") }
                table.add(group.name, count, group.rule)
            }
            return table
        }
    }
}
