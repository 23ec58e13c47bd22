import AdminMessages
import ArgumentParser

/// The command `martlet device commands`.
struct DeviceCommandQueue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "List a device's commands, queued and done.")

    @Argument(help: "The device's ID.")
    var device: String

    @OptionGroup var output: Output

    func run() async throws {
        let commands: [CommandSummary] = try await Server.inSession { try await $0.list("devices", device, "commands") }
        try output.print(commands, nothing: "No commands.") {
            var table = Table("COMMAND", "TYPE", "STATE", "QUEUED", "UPDATED")
            for command in commands {
                table.add(
                    command.uuid, command.requestType, command.state.rawValue, command.queued.shown,
                    command.updated?.shown)
            }
            return table
        }
    }
}
