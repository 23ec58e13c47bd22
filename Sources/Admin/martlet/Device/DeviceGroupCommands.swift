import ArgumentParser

/// The command `martlet device group …`.
struct DeviceGroupCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "The groups a device is in.",
        subcommands: [DeviceGroupAdd.self, DeviceGroupRemove.self])
}

/// The command `martlet device group add`.
struct DeviceGroupAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Put a device into a group.")

    @Argument(help: "The device's ID.")
    var device: String

    @Argument(help: "The group's name.")
    var group: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.put("devices", device, "groups", group) }
        try output.done(["device": device, "group": group]) {
            "\(Printable.line(device)) is in \(Printable.line(group))."
        }
    }
}

/// The command `martlet device group remove`.
struct DeviceGroupRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Take a device out of a group.")

    @Argument(help: "The device's ID.")
    var device: String

    @Argument(help: "The group's name.")
    var group: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("devices", device, "groups", group) }
        try output.done(["device": device, "group": group]) {
            "\(Printable.line(device)) is no longer in \(Printable.line(group))."
        }
    }
}
