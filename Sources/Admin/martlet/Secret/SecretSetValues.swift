import AdminMessages
import ArgumentParser

/// The command `martlet secret set-values`.
struct SecretSetValues: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-values", abstract: "Give single devices, or people, their own values of a password.",
        discussion: """
            The file holds comma-separated values in UTF-8. Its first line names the columns: serialNumber, for \
            values of devices, or person, for values of people by their user names; password; and userName if there is \
            one, which goes with the password and may hold variables. Keep the file where only you can read it, and \
            remove it afterwards.

            A person's value is for all devices of the person. A device gets its own value if it has one, else its \
            person's, else the one that martlet secret set sets, or none if there is none.

              martlet secret set-values mail devices.csv
              martlet secret set-values mail people.csv
            """)

    @Argument(help: "The secret's name; a new one is made.")
    var name: String

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Devices, or people, that the file does not name lose their value.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Only if this is still the newest version; 0 if there must be none yet.", valueName: "version"))
    var ifVersion: Int?

    @OptionGroup var output: Output

    func run() async throws {
        let table = try TableFile.bytes(at: file)
        let answer: SecretValuesAnswer = try await Server.inSession { server in
            try await server.holding(to: ifVersion, at: ["secrets", name]) { condition in
                try await server.send(
                    .put, ["secrets", name, "values"], query: replace ? [("replace", "true")] : [],
                    body: .init(bytes: table, mediaType: "text/csv"), headers: condition)
            }.decoded()
        }
        try output.print(answer) {
            "Version \(answer.version) of \(Printable.line(name)): set \(answer.set), removed \(answer.removed); "
                + "\(answer.total) \(Self.owners(answer))."
        }
    }

    private static func owners(_ answer: SecretValuesAnswer) -> String {
        switch (answer.owner == "person", answer.total == 1) {
        case (false, true): "device has a value of its own"
        case (false, false): "devices have values of their own"
        case (true, true): "person has a value of their own"
        case (true, false): "people have values of their own"
        }
    }
}
