import ArgumentParser

/// The command `martlet app …`.
struct AppCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Apps that may be assigned.",
        subcommands: [AppList.self, AppShow.self, AppCreate.self, AppDelete.self])
}
