import AdminMessages
import ArgumentParser

/// The command `martlet device group …`.
struct DeviceGroupCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "The groups a device is in.",
        subcommands: [DeviceGroupAdd.self, DeviceGroupRemove.self])
}

/// The command `martlet device group add`.
struct DeviceGroupAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Put a device into a group.",
        discussion: "What would break an app on the device is not done, unless that is forced.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The group's name.")
    var group: String

    @Flag(help: "Do so although an app on the device refuses what the group gives it.")
    var force = false

    @Flag(help: "Say what there is to say about it, and change nothing.")
    var dryRun = false

    @OptionGroup var output: Output

    func run() async throws {
        let query = [("force", force), ("dryRun", dryRun)].filter(\.1).map { ($0.0, "true") }
        let membership: Membership = try await Server.inSession { server in
            try await server.send(.put, ["devices", device.id(server), "groups", group], query: query).decoded()
        }
        for warning in membership.warnings { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(membership) {
            "\(Printable.line(membership.device)) \(dryRun ? "would be" : "is") in \(Printable.line(group))."
        }
    }
}

/// The command `martlet device group remove`.
struct DeviceGroupRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Take a device out of a group.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The group's name.")
    var group: String

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            try await server.delete("devices", id, "groups", group)
            return id
        }
        try output.done(["device": id, "group": group]) {
            "\(Printable.line(id)) is no longer in \(Printable.line(group))."
        }
    }
}
