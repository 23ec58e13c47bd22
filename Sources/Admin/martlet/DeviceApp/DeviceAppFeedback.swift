import AdminMessages
import ArgumentParser
import DeviceMessages

/// The command `martlet device app feedback`.
struct DeviceAppFeedback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "Read and clear what an app that is managed by command has counted.",
        discussion: """
            What is read is cleared on the device, in one step, and kept by the server: martlet feedback show. With --keep \
            it is only looked at, stays on the device, and is not kept by the server.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Flag(help: "Only look at it.")
    var keep = false

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "span"))
    var wait = TimeSpan(.seconds(30))

    @OptionGroup var output: Output

    func run() async throws {
        let query = AppQuery(.feedback, identifiers: [app], deletesFeedback: !keep)
        let detail = try await Server.inSession { server in
            let exchange = CommandExchange(device: try await device.id(server), server: server)
            return try await exchange.answer(toQueued: exchange.queue(query.request), within: wait)
        }
        let feedback = CommandedAppText.feedback(of: app, in: detail.answer)
        try output.print(feedback) { AnswerText.text(of: feedback, nothing: "Nothing waits to be read.") }
    }
}
