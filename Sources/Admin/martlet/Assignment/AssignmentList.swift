import AdminMessages
import ArgumentParser

/// The command `martlet assignment list`.
struct AssignmentList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the assignments.")

    @OptionGroup var output: Output

    func run() async throws {
        let assignments: [Assignment] = try await Server.inSession { try await $0.list("assignments") }
        try output.print(assignments, nothing: "No assignments yet: martlet assign <group> <app>") {
            var table = Table("GROUP", "APP", "CONFIGURATION")
            for assignment in assignments {
                table.add(assignment.group, assignment.app, assignment.configuration)
            }
            return table
        }
    }
}
