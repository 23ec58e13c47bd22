import ArgumentParser

/// The agent's command line: each subcommand is a file.
@main
struct MartletAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-agent",
        abstract: "Holds this device's side of the management, and serves the apps on it.",
        subcommands: [
            EnrollCommand.self, RunCommand.self, OpenAppCommand.self, StatusCommand.self, UnenrollCommand.self,
        ])
}
