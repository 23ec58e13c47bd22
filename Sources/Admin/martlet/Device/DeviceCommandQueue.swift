import AdminMessages
import ArgumentParser

/// The command `martlet device commands`.
struct DeviceCommandQueue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "List a device's commands, queued and done, or show one with its answer.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "A command's UUID: that one is shown, with its answer.")
    var command: String?

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func run() async throws {
        if let command { return try await show(command) }
        try await watch.list(
            { try await $0.list("devices", device.id($0), "commands") as [CommandSummary] }, id: \.uuid, show: show)
    }

    private func show(_ commands: [CommandSummary]) throws {
        try output.print(commands, nothing: "No commands.") {
            var table = Table("COMMAND", "TYPE", "STATE", "QUEUED", "UPDATED")
            for command in commands {
                table.add(
                    command.uuid, command.requestType, command.state.rawValue, command.queued.shown,
                    command.updated?.shown)
            }
            return table
        }
    }

    private func show(_ command: String) async throws {
        let detail: CommandDetail = try await Server.inSession {
            try await $0.get("devices", device.id($0), "commands", command)
        }
        try output.print(detail) {
            var facts = Facts()
            facts.add("command", detail.uuid)
            facts.add("type", detail.requestType)
            facts.add("state", detail.state.rawValue)
            facts.add("queued", detail.queued.shown)
            facts.add("updated", detail.updated?.shown)
            for error in detail.errorChain {
                facts.add("error", "\(error.domain) \(error.code)" + (error.description.map { ": \($0)" } ?? ""))
            }
            for oddity in detail.oddities ?? [] {
                facts.add("read in part", oddity.place.isEmpty ? oddity.rule : "\(oddity.place): \(oddity.rule)")
            }
            return facts.text + (detail.answer.map { "\n\n" + AnswerText.text(of: $0) } ?? "")
        }
    }
}
