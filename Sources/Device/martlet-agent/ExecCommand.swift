import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent exec`: has the running agent start any of an app's programs, with its configuration in variables.
struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a program as an app, its configuration in environment variables, and wait for its end.",
        discussion: """
            The value server.port is in CONFIG_SERVER__PORT. Secrets are never in the environment: they are files in the \
            directory that MARTLET_FILES names, beside configuration.json, and what is there stays up to date.
            """)

    @Argument(help: "The app's bundle identifier.")
    var bundleIdentifier: String

    @Option(help: "What the variables' names begin with: a letter or _, then letters, digits or _.")
    var prefix: String?

    @Argument(
        parsing: .postTerminator,
        help: "The program and its arguments, after --. It lies in the app's directory, and is named from there.")
    var command: [String]

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("name the program after --") }
    }

    func run() async throws {
        throw try await options.open(bundleIdentifier) { controlPath in
            do {
                return try OpenCommand.run(
                    controlPath: controlPath, bundleIdentifier: bundleIdentifier,
                    arguments: Array(command.dropFirst()), program: command.first, prefix: prefix)
            } catch OpenFailure.notItsProgram {
                throw ProgramFile.refusal(of: command.first ?? "", as: bundleIdentifier)
            }
        }
    }
}
