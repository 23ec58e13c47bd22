import ArgumentParser

/// The command `martlet device sign-out`.
struct DeviceSignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Have the person of a device that came by an account sign in again.",
        discussion: """
            Until then the server sends the device nothing, and the device keeps what it has: its apps go on. Invite the \
            person, so that they can sign in with martlet-agent enroll. To take everything from the device, withdraw it.
            """)

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            _ = try await server.send(.post, ["devices", id, "sign-out"])
            return id
        }
        try output.done(["device": id]) {
            "The person of \(Printable.line(id)) has to sign in again."
        }
    }
}
