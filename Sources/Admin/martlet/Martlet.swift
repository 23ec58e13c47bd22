package import ArgumentParser
import CommandOutput
import DeviceMessages
import Foundation
import MeantCommand

/// The administrator's command line tool.
@main
package struct Martlet: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract: "Configures managed apps and shows what became of it.",
        discussion: """
            Begin with `martlet login`. Commands print tables for people, and with --json one JSON value for programs; \
            a failure is then one JSON object on standard error. `martlet --version` prints the version.

            Exit status: 0 done, 1 failed, 2 apply --dry-run would change something, 3 not found, 4 refused by a rule, 5 not logged in, 6 server not reachable, or it takes no more for now, \
            64 wrong usage.

            Environment: MARTLET_SESSION is the path of the session file (otherwise martlet/session.json below \
            $XDG_CONFIG_HOME or ~/.config); NO_COLOR switches colors off.
            """,
        subcommands: namedFirst(of: everyCommand, in: CommandLine.arguments.dropFirst()))

    /// Wrong usage is refused in the form of every other failure.
    package static var _errorPrefix: String { "martlet: " }

    package init() {}

    private static var everyCommand: [any ParsableCommand.Type] {
        [
            Login.self, Logout.self, WhoAmI.self, ChangePassword.self, OverviewCommand.self, HealthCommand.self,
            AdministratorCommands.self, TokenCommands.self, GroupCommands.self, AppCommands.self,
            ConfigurationCommands.self, Assign.self,
            Unassign.self, AssignmentCommands.self, SettingCommands.self, SecretCommands.self,
            EnrollmentCodeCommands.self,
            DeviceCommands.self, PersonCommands.self, FeedbackCommands.self, TeamCommands.self, AuditCommands.self,
            Watch.self,
            WebhookCommands.self, JobCommands.self, PushCredentialCommands.self, AppleDevicesCommand.self,
            SpecificationCommands.self,
            Apply.self, Export.self, Develop.self, Describe.self,
        ]
    }

    /// The one command that the arguments begin with; every command where they begin with something else.
    ///
    /// The parser looks through the names of the whole tree several times: with one command's branch alone it is done sooner.
    private static func namedFirst(
        of commands: [any ParsableCommand.Type], in arguments: ArraySlice<String>
    ) -> [any ParsableCommand.Type] {
        guard let command = commands.first(where: { $0._commandName == arguments.first }) else { return commands }
        return [command]
    }

    static func main() async {
        do {
            if let answer = MartletRelease.answer(of: "martlet", to: CommandLine.arguments) {
                Terminal.say(answer)
                try Terminal.requireWritten()
            } else {
                try requireKnownVariables(ProcessInfo.processInfo.environment.keys)
                try await runNamed()
            }
        } catch let failure as Failure {
            end(failure.withLostOutput(CommandOutput.loss))
        } catch let loss as OutputLoss {
            end(Failure(loss, isChangeMade: Server.hasChanged))
        } catch {
            MeantCommand.end(error, root: Self.self, arguments: CommandLine.arguments.dropFirst())
        }
    }

    private static func end(_ failure: Failure) -> Never {
        let wantsJSON = CommandLine.arguments.prefix { $0 != "--" }.contains("--json")
        Terminal.complain(wantsJSON ? failure.json : failure.text)
        Foundation.exit(failure.status.rawValue)
    }
}
