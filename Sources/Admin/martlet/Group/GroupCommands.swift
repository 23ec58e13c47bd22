import ArgumentParser

/// The command `martlet group …`.
struct GroupCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Groups of devices.",
        subcommands: [
            GroupList.self, GroupCreate.self, GroupShow.self, GroupAddDevices.self, GroupCommand.self,
            GroupRuleCommands.self, GroupDelete.self,
        ])
}
