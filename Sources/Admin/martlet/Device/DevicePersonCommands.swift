import AdminMessages
import ArgumentParser

/// The command `martlet device person …`.
struct DevicePersonCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "The person to whom a device belongs.",
        subcommands: [DevicePersonSet.self, DevicePersonRemove.self])
}

/// The command `martlet device person set`.
struct DevicePersonSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say whose a device is.",
        discussion: "A device that is another person's becomes this one's only with --replace.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The person's user name.")
    var person: String

    @Flag(help: "Take the device from another person.")
    var replace = false

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            let place = ["devices", id, "person"]
            _ = try await server.send(
                .put, place, body: .init(json: DevicePersonRequest(userName: person)),
                headers: headers(server, place))
            return id
        }
        try output.done(["device": id, "person": person]) {
            "\(Printable.line(id)) is the device of \(Printable.line(person))."
        }
    }

    /// Whose it must be for it to become this person's; nobody else's is taken from them unless somebody says so.
    private func headers(_ server: Server, _ place: [String]) async throws -> [(String, String)] {
        guard !replace else { return [] }
        let present = try await server.present(at: place)
        if let holder = try present?.decoded(DevicePersonRequest.self).userName, holder != person {
            throw Failure(
                .refused, "it is the device of \(Printable.line(holder)); nothing was changed",
                advice: "martlet device show shows it; --replace takes it from them.")
        }
        return server.headers(onTopOf: present)
    }
}

/// The command `martlet device person remove`.
struct DevicePersonRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove the person from a device.",
        discussion: "Configurations that need a person's values leave the device.")

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    func run() async throws {
        let id = try await Server.inSession { server in
            let id = try await device.id(server)
            try await server.delete("devices", id, "person")
            return id
        }
        try output.done(["device": id]) { "\(Printable.line(id)) has no person now." }
    }
}
