import AdminMessages
import ArgumentParser

/// The command `martlet setting list`.
struct SettingList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the settings.")

    @Option(help: ArgumentHelp("Only those of this kind.", valueName: "kind"))
    var kind: String?

    @OptionGroup var output: Output

    func run() async throws {
        let query = kind.map { [("kind", $0)] } ?? []
        let settings: [Setting] = try await Server.inSession { try await $0.list("settings", query: query) }
        try output.print(settings, nothing: "No settings yet: martlet setting set <kind> <name> <file>") {
            var table = Table("KIND", "SETTING", "VERSION", "HOLDS", "CHANGED", "BY")
            for item in settings {
                table.add(
                    item.kind, item.name, "\(item.version)", item.summary, item.changed.shown, item.author)
            }
            return table
        }
    }
}
