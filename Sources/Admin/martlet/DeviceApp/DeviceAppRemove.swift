import AdminMessages
import ArgumentParser
import DeviceMessages

/// The command `martlet device app remove`.
struct DeviceAppRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an app that is managed by command, and all that it keeps.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var awaited: Awaited

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let exchange = CommandExchange(device: try await device.id(server), server: server)
            let request = RemoveApplication(identifier: app).request
            guard let detail = try await awaited.send(request, by: exchange, output) else { return }
            try output.print(detail) { "Removed \(Printable.line(app)) and what it kept." }
        }
    }
}
