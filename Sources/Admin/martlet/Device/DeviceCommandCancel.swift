import ArgumentParser

/// The command `martlet device cancel`.
struct DeviceCommandCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Take a command out of a device's queue, or forget one that is done.",
        discussion: """
            A command that the device was given is not sent again: its state is "retired", and an answer that comes later \
            is kept with it. The device may have carried it out all the same.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The command's UUID, as martlet device commands shows it.")
    var command: String

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            try await server.delete("devices", id, "commands", command)
            return id
        }
        try output.done(["device": id, "command": command]) { "The command is out of the queue." }
    }
}
