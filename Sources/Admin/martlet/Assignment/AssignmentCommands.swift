import ArgumentParser

/// The command `martlet assignment …`.
struct AssignmentCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assignment", abstract: "Which group gets which app.",
        subcommands: [AssignmentList.self, AssignmentShow.self])
}
