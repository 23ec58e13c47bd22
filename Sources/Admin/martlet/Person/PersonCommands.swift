import ArgumentParser

/// The command `martlet person …`.
struct PersonCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "People. A device that belongs to a person is configured for that person.",
        discussion: """
            What is known of a person stands in configurations and secrets as variables, such as ${person.email}:

              martlet person set anna --full-name 'Anna Graf' --email anna@example.com
              martlet device person set F2LXK7 anna

            Each device of a person gets that person's values; changing them reaches those devices at once.
            """,
        subcommands: [
            PersonSet.self, PersonImport.self, PersonList.self, PersonShow.self, PersonDelete.self,
            PersonInvite.self, PersonUninvite.self, PersonInvitations.self,
        ])
}
