import AdminMessages
import ArgumentParser

/// The command `martlet device show`.
struct DeviceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a device, its apps and what each made of its configuration.")

    @Argument(help: "The device's ID.")
    var device: String

    @OptionGroup var output: Output

    func run() async throws {
        let detail: DeviceDetail = try await Server.inSession { try await $0.get("devices", device) }
        try output.print(detail) { DeviceText(detail).text(bold: Terminal.mayStyle, within: Terminal.columns) }
    }
}
