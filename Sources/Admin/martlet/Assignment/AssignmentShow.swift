import AdminMessages
import ArgumentParser

/// The command `martlet assignment show`.
struct AssignmentShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show with what a group gets an app.")

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let assignment: Assignment = try await Server.inSession { try await $0.get("assignments", group, app) }
        try output.print(assignment) {
            var facts = Facts()
            facts.add("group", assignment.group)
            facts.add("app", assignment.app)
            facts.add("configuration", assignment.configuration)
            facts.add("delivery", assignment.delivery ?? "framework")
            for (bundle, name) in (assignment.extensions ?? [:]).sorted(by: { $0.key < $1.key }) {
                facts.add("extension \(bundle)", name)
            }
            facts.add("install", assignment.install)
            facts.add("priority", "\(assignment.priority ?? 0)")
            facts.add("lowest trust", assignment.lowestTrust ?? "launched")
            return facts.text
        }
    }
}
