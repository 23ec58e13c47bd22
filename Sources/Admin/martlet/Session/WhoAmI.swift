import AdminMessages
import ArgumentParser

/// The command `martlet whoami`.
struct WhoAmI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show who is logged in here, with which role and until when.")

    @OptionGroup var output: Output

    func run() async throws {
        let (session, address): (SessionDetail, String) = try await Server.inSession {
            (try await $0.get("session"), $0.address)
        }
        try output.print(session) {
            var facts = Facts()
            facts.add("server", address)
            facts.add("administrator", session.name)
            facts.add("role", session.role.rawValue)
            if let apps = session.apps { facts.add("apps", apps.joined(separator: ", ")) }
            if let groups = session.groups { facts.add("groups", groups.joined(separator: ", ")) }
            facts.add("until", session.expires.shown)
            return facts.text
        }
    }
}
