import AdminMessages
import ArgumentParser

/// The command `martlet device expect-all`.
struct DeviceExpectAll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect-all",
        abstract: "Expect all devices of a file, or none of them when a line is refused.",
        discussion: """
            The file holds serial numbers, one in a line; or comma-separated values in UTF-8 whose first line names the \
            columns: serialNumber, group and chip. Devices that came already stay as they are: to let one in again, expect it \
            by itself. Of devices that are expected already, what is not given here stays as it was, and a file that says \
            something else is refused unless --replace is given.
            """)

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Option(help: "The group that devices join whose line names none.")
    var group: String?

    @Flag(help: "Let in the first device that claims a serial number without a chip beside it.")
    var trustSerialNumber = false

    @Flag(help: "Have them wait in their setup until their apps and configurations are there.")
    var awaitConfiguration = false

    @Flag(help: "Have none of them wait in its setup, as new ones do not.")
    var noAwaitConfiguration = false

    @Flag(help: "Change devices that are expected already to what the file says.")
    var replace = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost([
            "--await-configuration": awaitConfiguration, "--no-await-configuration": noAwaitConfiguration,
        ])
    }

    func run() async throws {
        let table = try TableFile.bytes(at: file)
        var query = group.map { [("group", $0)] } ?? []
        if trustSerialNumber { query.append(("trustSerialNumber", "true")) }
        if awaitConfiguration || noAwaitConfiguration {
            query.append(("awaitConfiguration", awaitConfiguration ? "true" : "false"))
        }
        if replace { query.append(("replace", "true")) }
        let answer: ExpectedDevicesAnswer = try await Server.inSession { server in
            try await server.send(
                .post, ["expected-devices", "import"], query: query, body: .init(bytes: table, mediaType: "text/csv")
            ).decoded()
        }
        try output.print(answer) {
            "Expects \(answer.added) more, \(answer.changed) otherwise, \(answer.unchanged) as before; "
                + "\(answer.came) came already."
        }
    }
}
