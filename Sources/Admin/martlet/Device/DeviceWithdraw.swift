import ArgumentParser

/// The command `martlet device withdraw`.
struct DeviceWithdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "End a device's enrollment.",
        discussion: """
            The device is told at its next contact and removes what it was given. There is no way back but a new \
            enrollment.
            """)

    @Argument(help: "The device's ID.")
    var device: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("devices", device) }
        try output.done(["device": device]) { "Withdrew the enrollment of \(Printable.line(device))." }
    }
}
