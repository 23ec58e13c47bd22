import ArgumentParser

/// The command `martlet app …`.
struct AppCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Apps that may be assigned, and their packages.",
        subcommands: [
            AppList.self, AppShow.self, AppCreate.self, AppDelete.self, AppRefusals.self, AppSourceCommands.self,
            AppSpecificationCommands.self, HostedPackageCommands.self, AppCheckUpdates.self,
            AppMigrate.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Packages (no server is asked)",
                subcommands: [AppBuild.self, AppSign.self, AppVerify.self, AppInspect.self, AppManifestCommand.self])
        ])
}
