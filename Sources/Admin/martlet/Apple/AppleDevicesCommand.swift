import AdminMessages
import ArgumentParser

/// The command `martlet apple-devices`.
struct AppleDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple-devices",
        abstract: "Show what Apple devices need of this server, what is missing, and what was never tried.")

    @OptionGroup var output: Output

    func run() async throws {
        let readiness: AppleReadiness = try await Server.inSession { try await $0.get("apple-devices") }
        try output.print(readiness) {
            var facts = Facts()
            for need in readiness.needs { facts.add(need.name, "\(need.state): \(need.detail)") }
            facts.add("topic", readiness.topic)
            facts.add("capabilities", readiness.capabilities.joined(separator: ", "))
            facts.add("identity", readiness.identity)
            for sentence in readiness.untried { facts.add("not tried", sentence) }
            return facts.text
        }
    }
}
