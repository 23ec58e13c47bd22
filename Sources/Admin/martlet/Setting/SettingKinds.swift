import AdminMessages
import ArgumentParser

/// The command `martlet setting kinds`.
struct SettingKinds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinds", abstract: "List the kinds of settings that the server knows.",
        discussion: "With --json each has the JSON Schema of its payload.")

    @OptionGroup var output: Output

    func run() async throws {
        let kinds: [SettingKind] = try await Server.inSession { try await $0.list("setting-kinds") }
        try output.print(kinds, nothing: "The server knows no kinds.") {
            var table = Table("KIND", "WHERE GROUPS DIFFER", "WHAT DEVICES DO WITH IT")
            for kind in kinds { table.add(kind.name, Self.combination(kind), kind.purpose) }
            return table
        }
    }

    /// What becomes of settings of the kind that several groups of a device have.
    private static func combination(_ kind: SettingKind) -> String {
        switch kind.combination {
        case "all": "all of them"
        case "highest": "the highest priority"
        default: kind.combination
        }
    }
}
