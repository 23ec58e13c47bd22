import ArgumentParser

/// The command `martlet configuration delete`.
struct ConfigurationDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a configuration that is no longer assigned, with its history.")

    @OptionGroup var configuration: ConfigurationName

    func run() async throws {
        _ = try await Server.inSession { try await $0.send(.delete, configuration.path) }
        Terminal.say("Deleted \(configuration.text).")
    }
}
