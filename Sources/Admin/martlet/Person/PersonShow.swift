import AdminMessages
import ArgumentParser

/// The command `martlet person show`.
struct PersonShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is known of a person, and the person's devices.")

    @Argument(help: "The user name.")
    var userName: String

    @OptionGroup var output: Output

    func run() async throws {
        let person: Person = try await Server.inSession { try await $0.get("people", userName) }
        try output.print(person) { PersonText.text(person) }
    }
}
