import AdminMessages
import ArgumentParser

/// The command `martlet setting set`.
struct SettingSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a setting; the devices of its groups get it at once.",
        discussion: """
            The file holds the payload in JSON, as martlet setting kinds --json describes it. For a root-certificate \
            it may be the certificate itself, as PEM or DER:

              martlet setting set root-certificate proxy proxy-root.pem

            If a kind's payload is one text, --text takes it in place of a file:

              martlet setting set login-message lobby --text "Closed on Friday."

            What is there already makes no new version.
            """)

    @OptionGroup var setting: SettingName

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String?

    @Option(help: "The text itself, for a kind whose payload is one text.")
    var text: String?

    @Option(
        help: ArgumentHelp(
            "Only if this is still the newest version; 0 if there must be none yet.", valueName: "version"))
    var ifVersion: Int?

    @Flag(help: "Say what the server says about it, and set nothing.")
    var dryRun = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.exactly(["a file": file != nil, "--text": text != nil])
    }

    func run() async throws {
        let read = try file.map {
            try SettingPayload.read(ConfigurationDocument.input(at: $0), kind: setting.kind, path: $0)
        }
        let made: Setting = try await Server.inSession { server in
            let payload: JSON
            if let read { payload = read } else { payload = try await written(server) }
            return try await server.holding(to: ifVersion, at: setting.path) { condition in
                try await server.send(
                    .put, setting.path, query: dryRun ? [("dryRun", "true")] : [],
                    body: .init(json: SettingRequest(payload: payload)), headers: condition)
            }.decoded()
        }
        for warning in made.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(made) { SettingText.made(made, isDryRun: dryRun) }
    }
}

extension SettingSet {
    /// The payload of the text that `--text` gives.
    private func written(_ server: Server) async throws -> JSON {
        let kinds: [SettingKind] = try await server.list("setting-kinds")
        return try SettingPayload.text(text ?? "", kind: setting.kind, among: kinds)
    }
}

/// The command `martlet setting remove`.
struct SettingRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a setting that no group has, with its history.")

    @OptionGroup var setting: SettingName

    @OptionGroup var condition: IfVersion

    @OptionGroup var output: Output

    func run() async throws {
        _ = try await Server.inSession { server in
            try await server.holding(to: condition.ifVersion, at: setting.path) {
                try await server.send(.delete, setting.path, headers: $0)
            }
        }
        try output.done(["kind": setting.kind, "setting": setting.name]) { "Removed \(setting.text)." }
    }
}
