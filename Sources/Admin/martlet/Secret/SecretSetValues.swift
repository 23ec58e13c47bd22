import AdminMessages
import ArgumentParser

/// The command `martlet secret set-values`.
struct SecretSetValues: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-values", abstract: "Give single devices their own values of a password.",
        discussion: """
            The file holds comma-separated values in UTF-8. Its first line names the columns: serialNumber, password, \
            and userName if there is one, which may hold variables. Keep the file where only you can read it, and \
            remove it afterwards.

            A device that has no value of its own gets the one that martlet secret set sets, or none if there is none.
            """)

    @Argument(help: "The secret's name; a new one is made.")
    var name: String

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Devices that the file does not name lose their value.")
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
                + "\(answer.total) \(answer.total == 1 ? "device has a value of its own" : "devices have values of their own")."
        }
    }
}
