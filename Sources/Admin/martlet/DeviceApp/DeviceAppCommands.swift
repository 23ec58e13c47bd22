import AdminMessages
import ArgumentParser
import InputBounds

/// The command `martlet device app …`.
struct DeviceAppCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Apps that are managed by command on one device.",
        discussion: """
            An app that a group is given is managed by declaration, and out of reach of these commands: the device refuses \
            them. What is on a device at all, managed or not, is listed by martlet device apps.
            """,
        subcommands: [
            DeviceAppInstall.self, DeviceAppConfigure.self, DeviceAppRemove.self, DeviceAppList.self,
            DeviceAppFeedback.self,
        ])
}

/// How long a command waits for the device, if at all.
struct Awaited: ParsableArguments {
    @Option(help: ArgumentHelp("Wait for the device's answer for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    /// Queues a command; what came of it if the device's answer is waited for, and otherwise nothing.
    ///
    /// A command that is only queued is printed.
    func send(
        _ request: PropertyListValue, force: Bool = false, by exchange: CommandExchange, _ output: Output
    ) async throws -> CommandDetail? {
        let queued = try await exchange.queue(request, force: force)
        guard let wait else {
            try output.print(queued) { "Queued \(queued.uuid)." }
            return nil
        }
        return try await exchange.answer(toQueued: queued, within: wait)
    }
}
