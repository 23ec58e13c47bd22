import AdminMessages
import ArgumentParser

/// The command `martlet device query`.
struct DeviceQuery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Ask a device about itself and wait for the answer.",
        discussion: "Names are those of the DeviceInformation command; a device leaves out what it does not know.")

    private static let usual = [
        "UDID", "DeviceName", "Model", "ModelName", "ProductName", "SerialNumber", "OSVersion", "BuildVersion",
    ]

    @OptionGroup var device: DeviceArgument

    @Argument(help: "What to ask for, such as OSVersion; the usual things if left out.")
    var names: [String] = []

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "span"))
    var wait = TimeSpan(.seconds(30))

    @OptionGroup var output: Output

    func run() async throws {
        let queries = names.isEmpty ? Self.usual : names
        let request = CommandRequest(
            requestType: "DeviceInformation", parameters: .object(["Queries": .array(queries.map(JSON.string))]))
        let detail = try await Server.inSession { server in
            try await CommandExchange(device: device.id(server), server: server).answer(to: request, within: wait)
        }
        let responses = detail.answer?["QueryResponses"] ?? .object([:])
        try output.print(responses) {
            var table = Table("NAME", "VALUE")
            for name in queries { table.add(name, responses[name].map(DeviceText.text)) }
            return table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
