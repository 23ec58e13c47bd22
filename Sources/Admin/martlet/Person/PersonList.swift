import AdminMessages
import ArgumentParser

/// The command `martlet person list`.
struct PersonList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the people.")

    @OptionGroup var output: Output

    func run() async throws {
        let people: [Person] = try await Server.inSession { try await $0.list("people") }
        try output.print(people, nothing: "No people yet: martlet person set <user name>") {
            var table = Table("PERSON", "NAME", "EMAIL", "DEPARTMENT")
            for person in people {
                table.add(
                    person.userName, person.details.fullName, person.details.email, person.details.department)
            }
            return table
        }
    }
}
