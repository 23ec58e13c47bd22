import ArgumentParser

/// The command `martlet configuration delete`.
struct ConfigurationDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a configuration that is no longer assigned, with its history.")

    @OptionGroup var configuration: ConfigurationName

    @OptionGroup var condition: IfVersion

    @OptionGroup var output: Output

    func run() async throws {
        _ = try await Server.inSession { server in
            try await server.holding(to: condition.ifVersion, at: configuration.path) {
                try await server.send(.delete, configuration.path, headers: $0)
            }
        }
        try output.done(["app": configuration.app, "configuration": configuration.name]) {
            "Deleted \(configuration.text)."
        }
    }
}
