import AdminMessages
import ArgumentParser

/// The command `martlet configuration revert`.
struct ConfigurationRevert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert", abstract: "Make an earlier version the newest again.")

    @OptionGroup var configuration: ConfigurationName

    @Option(name: .customLong("to"), help: ArgumentHelp("The version to go back to.", valueName: "version"))
    var target: Int

    @Flag(
        help: """
            Do so although the app's specification refuses it, or a value delivered as user defaults looks like a \
            secret.
            """)
    var force = false

    @Flag(help: "Say what the app's specifications find in that version, and set nothing.")
    var dryRun = false

    @OptionGroup var condition: IfVersion

    @OptionGroup var output: Output

    func run() async throws {
        if dryRun {
            let old = try await Server.inSession {
                try await $0.send(.get, configuration.path + ["versions", "\(target)"])
            }
            return try await ConfigurationDryRun.check(old.body, as: configuration, output)
        }
        let answer: ConfigurationAnswer = try await Server.inSession { server in
            try await server.holding(to: condition.ifVersion, at: configuration.path) {
                try await server.send(
                    .post, configuration.path + ["revert"], query: force ? [("force", "true")] : [],
                    body: .init(json: RevertRequest(version: target)), headers: $0)
            }.decoded()
        }
        for warning in answer.warnings { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(answer) {
            "Version \(answer.version) of \(configuration.text) has the content of version \(target)"
                + (answer.unchanged == true ? ", as before: nothing changes." : ".")
        }
    }
}
