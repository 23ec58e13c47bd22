import AdminMessages
import ArgumentParser

/// The command `martlet app list`.
struct AppList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the apps.")

    @OptionGroup var output: Output

    func run() async throws {
        let apps: [App] = try await Server.inSession { try await $0.list("apps") }
        try output.print(apps, nothing: "No apps yet: martlet app create <bundle identifier> --name <name>") {
            var table = Table("APP", "NAME", "TEAM")
            for app in apps { table.add(app.bundleIdentifier, app.name, app.teamIdentifier) }
            return table
        }
    }
}
