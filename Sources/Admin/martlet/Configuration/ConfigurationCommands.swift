import ArgumentParser

/// The command `martlet configuration …`.
struct ConfigurationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Configurations of apps, in versions.",
        subcommands: [
            ConfigurationList.self, ConfigurationSet.self, ConfigurationShow.self, ConfigurationHistory.self,
            ConfigurationDiff.self,
            ConfigurationAdoptionCommand.self, ConfigurationRevert.self, ConfigurationDelete.self,
            ConfigurationTry.self,
        ])
}

/// Which configuration a command is about.
struct ConfigurationName: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The configuration's name, such as default.")
    var name: String

    /// The path of the configuration below `/api/v1`.
    var path: [String] { ["apps", app, "configurations", name] }

    var text: String { "\(Printable.line(name)) of \(Printable.line(app))" }
}
