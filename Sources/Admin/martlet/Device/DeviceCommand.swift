import AdminMessages
import ArgumentParser

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

    @Option(
        help: ArgumentHelp(
            "A property list with these keys instead, for data and dates; - is standard input.", valueName: "FILE"))
    var parametersFile: String?

    @Option(help: ArgumentHelp("Wait for the answer for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    @Flag(help: "Send a configuration although the app on the device refuses it, or a value in it looks like a secret.")
    var force = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost(["--parameters": parameters != nil, "--parameters-file": parametersFile != nil])
    }

    func run() async throws {
        let listed = try parametersFile.map {
            try CommandParameters.request(
                requestType: requestType, propertyList: ConfigurationDocument.input(at: $0))
        }
        let request = try CommandRequest(requestType: requestType, parametersText: parameters)
        try await Server.inSession { server in
            let exchange = CommandExchange(device: try await device.id(server), server: server)
            let queued: CommandSummary
            if let listed {
                queued = try await exchange.queue(listed, force: force)
            } else {
                queued = try await exchange.queue(request, force: force)
            }
            guard let wait else {
                try output.print(queued) { "Queued \(queued.uuid)." }
                return
            }
            let detail = try await exchange.answer(toQueued: queued, within: wait)
            try output.print(detail) { AnswerText.text(of: detail.answer) }
        }
    }
}
