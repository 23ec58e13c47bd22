import AdminMessages
import ArgumentParser

/// The command `martlet device history`.
struct DeviceHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List what happened to the device's declarations: offered, fetched, held, refused.")

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    func run() async throws {
        let entries: [DeviceHistoryEntry] = try await Server.inSession {
            try await $0.list("devices", device.id($0), "history")
        }
        try output.print(entries, nothing: "Nothing became known of the device yet.") {
            var table = Table("TIME", "WHAT")
            for entry in entries { table.add(entry.time.shown, entry.text) }
            return table
        }
    }
}
