import AdminMessages
import ArgumentParser

/// The command `martlet device restart`.
struct DeviceRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart a device.", discussion: MachineExchange.discussion)

    @OptionGroup var exchange: MachineExchange

    func run() async throws { try await exchange.run("RestartDevice", question: "Restart") }
}

/// The command `martlet device shut-down`.
struct DeviceShutDown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shut-down", abstract: "Shut a device down. It must be switched on by hand afterwards.",
        discussion: MachineExchange.discussion)

    @OptionGroup var exchange: MachineExchange

    func run() async throws { try await exchange.run("ShutDownDevice", question: "Shut down") }
}

/// What a command that has a whole device do something is given, and how it is sent.
struct MachineExchange: ParsableArguments {
    static let discussion = """
        What is not saved on the device is lost, so the terminal is asked before. Without --wait the command is queued and \
        its UUID printed. With --wait the device has said that it will do it, or why it does not.
        """

    @OptionGroup var device: DeviceArgument

    @OptionGroup var confirmation: Confirmation

    @Option(help: ArgumentHelp("Wait for the answer for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    @OptionGroup var output: Output

    func run(_ requestType: String, question: String) async throws {
        try await Server.inSession { server in
            let id = try await device.id(server)
            // The device is known by now, and its name is printed.
            try confirmation.ask("\(question) \(Printable.line(id))?", undone: "nothing was sent")
            let exchange = CommandExchange(device: id, server: server)
            let queued = try await exchange.queue(CommandRequest(requestType: requestType))
            guard let wait else {
                try output.print(queued) { "Queued \(queued.uuid)." }
                return
            }
            let detail = try await exchange.answer(toQueued: queued, within: wait)
            try output.print(detail) { AnswerText.text(of: detail.answer) }
        }
    }
}
