import ArgumentParser
import Foundation
import Testing

@testable import martlet

/// Every command that is about one device takes what `martlet device list` shows of it.
struct DeviceArgumentTests {
    /// They are about many devices, or about one that has not enrolled.
    private static let ofNoDevice: Set<String> = [
        "list", "attributes import", "expect", "expect-all", "expected", "unexpect", "invite", "invitations",
        "uninvite",
    ]

    /// The commands without subcommands, by their names below `martlet device`.
    private static func commands(
        of command: any ParsableCommand.Type, named name: [String] = []
    ) -> [(name: String, type: any ParsableCommand.Type)] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [(name.joined(separator: " "), command)] }
        return below.flatMap { commands(of: $0, named: name + [$0.configuration.commandName ?? ""]) }
    }

    /// Red where a device command has an argument of its own for the device.
    @Test func everyDeviceCommandTakesIDNameAndSerialNumber() {
        let all = Self.commands(of: DeviceCommands.self)
        let others = Set(all.map { $0.name }).intersection(Self.ofNoDevice)
        #expect(others == Self.ofNoDevice, "the list names what is no command")
        for (name, type) in all where !Self.ofNoDevice.contains(name) {
            let help = type.helpMessage(includeHidden: true, columns: 400).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(help.contains("<device>"), "\(name)")
            #expect(help.contains("its name as martlet device list shows it, or its serial number"), "\(name)")
        }
    }

    /// Only the search for the ID finds a name, and refuses one to which several devices answer.
    ///
    /// Red where a command asks the server for the device by the argument as it was written.
    @Test func everyCommandWithADeviceLooksForItsID() throws {
        let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let files = try #require(
            FileManager.default.enumerator(
                at: tree.appending(path: "Sources/Admin/martlet"), includingPropertiesForKeys: nil))
        var found = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let arguments = text.matches(of: /var device: DeviceArgument/).count
            found += arguments
            #expect(text.matches(of: /device\.id\(/).count >= arguments, "\(file.lastPathComponent)")
            #expect(!text.contains("\"devices\", device.device"), "\(file.lastPathComponent)")
        }
        #expect(found > 20)
    }
}
