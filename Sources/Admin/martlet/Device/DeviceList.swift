import AdminMessages
import ArgumentParser

/// The command `martlet device list`.
struct DeviceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the devices.")

    @OptionGroup var output: Output

    func run() async throws {
        let devices: [DeviceSummary] = try await Server.inSession { try await $0.list("devices") }
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
