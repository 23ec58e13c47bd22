import ArgumentParser

/// The command `martlet device withdraw`.
struct DeviceWithdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "End a device's enrollment.",
        discussion: """
            The device learns of it at its next contact and removes what it got. The only way back is a new \
            enrollment, so the command asks first.
            """)

    @OptionGroup var device: DeviceArgument

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            // The device is known by now, and its name is printed.
            try confirmation.ask(
                "Withdraw \(Printable.line(id))? Its apps and their data are removed from it.",
                undone: "nothing was withdrawn")
            try await server.delete("devices", id)
            return id
        }
        try output.done(["device": id]) { "Withdrew the enrollment of \(Printable.line(id))." }
    }
}
