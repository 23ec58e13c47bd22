import AdminMessages
import ArgumentParser

/// The command `martlet device list`.
struct DeviceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the devices.")

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func run() async throws {
        try await watch.list({ try await $0.list("devices") as [DeviceSummary] }, id: \.id, show: show)
    }

    private func show(_ devices: [DeviceSummary]) throws {
        try output.print(devices, nothing: "No devices yet: martlet enrollment-code create --group <group>") {
            var table = Table("DEVICE", "NAME", "STATE", "SYNCHRONISED", "GROUPS", "PERSON", "OWNERSHIP", "LAST SEEN")
            for device in devices {
                table.add(
                    device.id, device.name, device.state.rawValue, device.synchronised ? "yes" : "no",
                    device.groups.joined(separator: ", "), device.person, device.ownership.rawValue,
                    device.lastSeen?.shown)
            }
            return table
        }
    }
}
