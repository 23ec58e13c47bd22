import AdminMessages
import ArgumentParser

/// The command `martlet configuration set`.
struct ConfigurationSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a configuration; its devices get it at once.",
        discussion: """
            A property list is stored exactly as it is. JSON becomes an XML property list: numbers without fraction \
            are integers, texts are dates and data where the app's specification says so, null has no form and is \
            refused with its key path. What is there already makes no new version.
            """)

    @OptionGroup var configuration: ConfigurationName

    @Option(help: "A property list or JSON file; - is standard input.")
    var file: String

    @Option(help: "plist or json; found out from the file if left out.")
    var format: DocumentForm?

    @Option(
        help: ArgumentHelp(
            "Only if this is still the newest version; 0 if there must be none yet.", valueName: "version"))
    var ifVersion: Int?

    @Flag(
        help: """
            Set it although the app's specification refuses it, or a value delivered as user defaults looks like a \
            secret.
            """)
    var force = false

    @Flag(help: "Say what the app's specifications find in it, and set nothing.")
    var dryRun = false

    @OptionGroup var output: Output

    func run() async throws {
        let input = try ConfigurationDocument.input(at: file)
        let document = try await ConfigurationDocument.read(
            input, as: format ?? ConfigurationDocument.form(of: input, path: file), of: configuration.app)
        if dryRun { return try await ConfigurationDryRun.check(document.bytes, as: configuration, output) }
        let answer: ConfigurationAnswer = try await Server.inSession { server in
            try await server.holding(to: ifVersion, at: configuration.path) { condition in
                try await server.send(
                    .put, configuration.path, query: force ? [("force", "true")] : [],
                    body: .init(bytes: document.bytes, mediaType: "application/x-plist"), headers: condition)
            }.decoded()
        }
        // The server's own words come first; ours stand in where an older server has none.
        for warning in answer.warnings.isEmpty ? [document.warning].compactMap({ $0 }) : answer.warnings {
            Terminal.complain("warning: \(Printable.line(warning))")
        }
        try output.print(answer) {
            "Version \(answer.version) of \(configuration.text), \(answer.size) bytes, SHA-256 \(answer.sha256.prefix(16))"
                + (answer.unchanged == true ? ", as before: nothing changes." : ".")
        }
    }
}
