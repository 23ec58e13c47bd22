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

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Remove what is known of a person where the file has an empty field.")
    var removeEmpty = false

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @OptionGroup var output: Output

    func run() async throws {
        let table = try TableFile.bytes(at: file)
        let query: [(String, String)?] = [
            dryRun ? ("dryRun", "true") : nil, removeEmpty ? ("removeEmpty", "true") : nil,
        ]
        let answer: PeopleImportAnswer = try await Server.inSession { server in
            try await server.send(
                .post, ["people", "import"], query: query.compactMap { $0 },
                body: .init(bytes: table, mediaType: "text/csv")
            ).decoded()
        }
        try output.print(answer) {
            "\(answer.dryRun ? "Would add" : "Added") \(answer.added), \(answer.dryRun ? "change" : "changed") "
                + "\(answer.changed); \(answer.unchanged) \(answer.unchanged == 1 ? "is" : "are") as before."
        }
    }
}
