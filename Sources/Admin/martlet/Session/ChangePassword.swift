import AdminMessages
import ArgumentParser

/// The command `martlet password`.
struct ChangePassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Change your own password. Your other sessions end.")

    @Flag(help: "Read the present password and the new one from the first two lines of standard input.")
    var passwordStdin = false

    @OptionGroup var output: Output

    func run() async throws {
        let name = try SessionFile.present.load().name
        let (old, new) = try passwords()
        try await Server.inSession { try await $0.put(PasswordChange(old: old, new: new), "session", "password") }
        try output.done(["name": name]) { "The password of \(Printable.line(name)) is changed." }
    }

    private func passwords() throws -> (old: String, new: String) {
        if passwordStdin {
            return (
                try PasswordPrompt.readFromInput("password"), try PasswordPrompt.readFromInput("new password")
            )
        }
        let old = try PasswordPrompt.ask("Present password")
        let new = try PasswordPrompt.ask("New password")
        guard try PasswordPrompt.ask("The same again") == new else {
            throw Failure(.failed, "the two passwords differ; nothing was changed")
        }
        return (old, new)
    }
}
