import AdminMessages
import ArgumentParser

/// The command `martlet person set`.
struct PersonSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set what is known of a person, new or not.",
        discussion: "What is not given here stays as it was; an empty text removes it.")

    @Argument(help: "The user name.")
    var userName: String

    @OptionGroup var options: PersonOptions

    @OptionGroup var output: Output

    func run() async throws {
        let answer: Person = try await Server.inSession { server in
            try await server.change(["people", userName]) { (present: Person?) in
                options.changed(present?.details ?? PersonDetails())
            }.decoded()
        }
        try output.print(answer) { PersonText.text(answer) }
    }
}

/// What is known of a person, as options.
struct PersonOptions: ParsableArguments {
    @Option(help: "First and last name.") var fullName: String?
    @Option(help: "The first name.") var firstName: String?
    @Option(help: "The last name.") var lastName: String?
    @Option(help: "The email address.") var email: String?
    @Option(help: "The department.") var department: String?
    @Option(help: "The name in a directory, such as anna@corp.example.com.") var principalName: String?
    @Option(help: "The short name in a directory.") var accountName: String?
    @Option(help: "The distinguished name in a directory.") var distinguishedName: String?
    @Option(help: "The language and region, such as de_CH.") var locale: String?

    func changed(_ details: PersonDetails) -> PersonDetails {
        func value(_ given: String?, _ present: String?) -> String? { given.map { $0.isEmpty ? nil : $0 } ?? present }
        return PersonDetails(
            fullName: value(fullName, details.fullName), firstName: value(firstName, details.firstName),
            lastName: value(lastName, details.lastName), email: value(email, details.email),
            department: value(department, details.department),
            principalName: value(principalName, details.principalName),
            accountName: value(accountName, details.accountName),
            distinguishedName: value(distinguishedName, details.distinguishedName),
            locale: value(locale, details.locale))
    }
}
