import AdminMessages
import ArgumentParser

/// The command `martlet device show`.
struct DeviceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a device, its apps and what each made of its configuration.")

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func run() async throws {
        try await watch.one({ try await $0.get("devices", device.id($0)) as DeviceDetail }) { detail in
            try output.print(detail) { DeviceText(detail).text(bold: Terminal.mayStyle, within: Terminal.columns) }
        }
    }
}
