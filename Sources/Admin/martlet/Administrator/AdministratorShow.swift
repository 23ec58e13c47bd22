import AdminMessages
import ArgumentParser

/// The command `martlet administrator show`.
struct AdministratorShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an administrator.")

    @Argument(help: "The administrator's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let found: Administrator = try await Server.inSession { try await $0.get("administrators", name) }
        try output.print(found) {
            var facts = Facts()
            facts.add("name", found.name)
            facts.add("role", found.role.rawValue)
            facts.add("limited to", AdministratorText.limits(found))
            facts.add("since", found.created.shown)
            return facts.text
        }
    }
}
