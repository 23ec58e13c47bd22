import ArgumentParser

/// The command `martlet person delete`.
struct PersonDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a person who has no device any more.")

    @Argument(help: "The user name.")
    var userName: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("people", userName) }
        try output.done(["person": userName]) { "Deleted \(Printable.line(userName))." }
    }
}
