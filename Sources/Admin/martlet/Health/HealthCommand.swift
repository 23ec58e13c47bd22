import AdminMessages
import ArgumentParser

/// The command `martlet health`.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Show how the server fares: its certificates, its store, and what waits.")

    @OptionGroup var output: Output

    func run() async throws {
        let health: Health = try await Server.inSession { try await $0.get("health") }
        try output.print(health) { HealthText(health).text }
    }
}
