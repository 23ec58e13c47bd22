import AdminMessages
import ArgumentParser
import DeviceMessages

/// The command `martlet device app list`.
struct DeviceAppList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Ask a device which apps it manages by command, and wait for the answer.")

    @OptionGroup var device: DeviceArgument

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "span"))
    var wait = TimeSpan(.seconds(30))

    @OptionGroup var output: Output

    func run() async throws {
        let detail = try await Server.inSession { server in
            let exchange = CommandExchange(device: try await device.id(server), server: server)
            return try await exchange.answer(toQueued: exchange.queue(AppQuery(.list).request), within: wait)
        }
        let apps = detail.answer?["ManagedApplicationList"] ?? .object([:])
        try output.print(apps) {
            let table = CommandedAppText.table(of: apps)
            return table.isEmpty
                ? "No app is managed by command." : table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
