import AdminMessages
import ArgumentParser

/// The command `martlet device release`.
struct DeviceRelease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let a device out of its setup, though not everything is there.",
        discussion: """
            A device that waits in its setup is let out by itself when its apps and configurations are there. This lets it \
            out before, when something of it cannot be had.
            """)

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    func run() async throws {
        let request = CommandRequest(requestType: "DeviceConfigured")
        let queued: CommandSummary = try await Server.inSession { server in
            try await server.post(request, "devices", device.id(server), "commands")
        }
        try output.print(queued) { "The device \(Printable.line(device.device)) is let out of its setup." }
    }
}
