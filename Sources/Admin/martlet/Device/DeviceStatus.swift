import AdminMessages
import ArgumentParser

/// The command `martlet device status`.
struct DeviceStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "List the newest value of each status item that a device reported.")

    @OptionGroup var device: DeviceArgument

    @Option(help: "Only this item, also if its value is large.")
    var item: String?

    @OptionGroup var output: Output

    func run() async throws {
        let query = item.map { [("name", $0)] } ?? []
        let items: [StatusItem] = try await Server.inSession {
            try await $0.list("devices", device.id($0), "status", query: query)
        }
        try output.print(items, nothing: "The device has reported nothing yet.") {
            var table = Table("ITEM", "REPORTED", "VALUE")
            for item in items {
                let value = item.size.map { "\($0) bytes: --item \(item.name) shows them" }
                table.add(item.name, item.reported.shown, value ?? DeviceText.text(item.value))
            }
            return table
        }
    }
}
