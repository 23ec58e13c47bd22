import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet device command`.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Send a command of the MDM protocol to a device.",
        discussion: """
            Without --wait the command is queued and its UUID printed. With --wait its answer is printed; a command \
            that failed on the device ends with 1.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The command's request type, such as DeviceInformation or ProfileList.")
    var requestType: String

    @Option(help: ArgumentHelp("A JSON object with the command's other keys.", valueName: "JSON"))
    var parameters: String?

    @Option(help: ArgumentHelp("Wait for the answer for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    @OptionGroup var output: Output

    func run() async throws {
        let request = CommandRequest(requestType: requestType, parameters: try parsedParameters())
        try await Server.inSession { server in
            let id = try await device.id(server)
            guard let wait else {
                let queued: CommandSummary = try await server.post(request, "devices", id, "commands")
                try output.print(queued) { "Queued \(queued.uuid)." }
                return
            }
            let detail = try await CommandExchange(device: id, server: server).answer(to: request, within: wait)
            try output.print(detail) { AnswerText.text(of: detail.answer) }
        }
    }

    private func parsedParameters() throws -> JSON? {
        guard let parameters else { return nil }
        guard let value = try? AdminJSON.decode(JSON.self, from: Data(parameters.utf8)), case .object = value else {
            throw ValidationError("--parameters is a JSON object")
        }
        return value
    }
}
