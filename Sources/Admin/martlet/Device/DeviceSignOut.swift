import ArgumentParser

/// The command `martlet device sign-out`.
struct DeviceSignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Have the person of a device that came by an account sign in again.",
        discussion: """
            Until then the device is told nothing, and keeps what it has: its apps go on. Invite the person, so that they can \
            sign in with martlet-agent enroll. To take everything from the device, withdraw it.
            """)

    @Argument(help: "The device's ID.")
    var device: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in _ = try await server.send(.post, ["devices", device, "sign-out"]) }
        try output.done(["device": device]) {
            "The person of \(Printable.line(device)) has to sign in again."
        }
    }
}
