import ArgumentParser

/// The command `martlet group delete`.
struct GroupDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a group that nothing uses.")

    @Argument(help: "The group's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("groups", name) }
        try output.done(["group": name]) { "Deleted the group \(Printable.line(name))." }
    }
}
