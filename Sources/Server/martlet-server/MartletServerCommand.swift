import ArgumentParser
import CommandOutput
import DeviceMessages
import MeantCommand
import WipedMemory

/// `martlet-server`: the server of one installation.
@main
struct MartletServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-server",
        abstract: "Configures managed apps on devices, over Apple's device management protocols.",
        discussion: """
            Settings come from options, from the environment (MARTLET_DATA_DIRECTORY, MARTLET_HOST, MARTLET_PORT, \
            MARTLET_HOSTNAMES, MARTLET_URL, MARTLET_ORGANIZATION, MARTLET_LOG_LEVEL, …) and from a JSON file \
            (--config, MARTLET_CONFIG or /etc/martlet/server.json), in this order. The file's members have the \
            options' names in camel case: dataDirectory, host, …; hostnames and webhookNetworks are lists, and \
            webhookPlainHTTP has this spelling. Values that cannot be used, and names that are not known, are refused with \
            what to write. A socket named https that systemd hands over takes the place of host and port. In the help, \
            defaults are in parentheses.
            `martlet-server --version` prints the version.
            """,
        subcommands: [
            Run.self, Backup.self, Restore.self, Check.self, ResetAdminPassword.self, Rekey.self, ForgetSecrets.self,
        ],
        defaultSubcommand: Run.self)

    /// Every refusal begins with the program's name, as the other programs' refusals do.
    static var _errorPrefix: String { "martlet-server: " }

    static func main() async {
        forbid_core_dumps()
        prefer_little_memory()
        do {
            if let answer = MartletRelease.answer(of: "martlet-server", to: CommandLine.arguments) {
                print(answer)
                try CommandOutput.requireWritten()
            } else {
                try await runNamed()
            }
        } catch {
            MeantCommand.end(error, root: Self.self, arguments: CommandLine.arguments.dropFirst())
        }
    }
}
