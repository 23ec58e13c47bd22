import AdminMessages
import ArgumentParser

/// The command `martlet person import`.
struct PersonImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Set all people of a table, or none of them when a line is refused.",
        discussion: """
            The file holds comma-separated values in UTF-8. Its first line names the columns: userName, and any of \
            fullName, firstName, lastName, email, department, principalName, accountName, distinguishedName, locale. \
            What has no column or an empty field stays as it was; --remove-empty has empty fields remove it. People who \
            are not in the file stay as they are.
            """)

    @OptionGroup var table: TableImport

    @OptionGroup var output: Output

    func run() async throws {
        let answer: PeopleImportAnswer = try await table.send(to: "people")
        try output.print(answer) {
            "\(answer.dryRun ? "Would add" : "Added") \(answer.added), \(answer.dryRun ? "change" : "changed") "
                + "\(answer.changed); \(TableImport.text(unchanged: answer.unchanged))"
        }
    }
}
