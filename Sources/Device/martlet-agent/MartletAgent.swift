import ArgumentParser
import CommandOutput
import DeviceMessages
import Foundation
import MeantCommand
import WipedMemory

/// The agent's command line: each subcommand is a file.
@main
struct MartletAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-agent",
        abstract: "Holds this device's side of the management, and serves the apps on it.",
        discussion: """
            Begin with `martlet-agent run` and, before or after it, `martlet-agent enroll` with a code that an \
            administrator made. `martlet-agent --version` prints the version. Exit status: 0 done, 1 failed, 64 wrong \
            usage; `open` and `exec` end as their app does.
            """,
        subcommands: [
            EnrollCommand.self, RunCommand.self, OpenAppCommand.self, ExecCommand.self, AppCommands.self,
            StatusCommand.self, UnenrollCommand.self, ChipCommand.self, DevelopCommand.self, SweepCommand.self,
        ])

    /// Wrong usage is refused in the form of every other failure.
    static var _errorPrefix: String { "martlet-agent: " }

    static func main() async {
        forbid_core_dumps()
        do {
            if let answer = MartletRelease.answer(of: "martlet-agent", to: CommandLine.arguments) {
                print(answer)
                try CommandOutput.requireWritten()
            } else {
                try await runNamed()
            }
        } catch {
            guard let failure = AgentFailure(error) else {
                MeantCommand.end(error, root: Self.self, arguments: CommandLine.arguments.dropFirst())
            }
            try? FileHandle.standardError.write(contentsOf: Data("\(failure)\n".utf8))
            Foundation.exit(1)
        }
    }
}
