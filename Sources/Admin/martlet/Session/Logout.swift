import ArgumentParser

/// The command `martlet logout`.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End the session at the server and forget it here.")

    func run() async throws {
        let file = SessionFile.present
        _ = try file.load()
        do {
            try await Server.inSession { try await $0.delete("session") }
        } catch let failure as Failure where failure.status == .notLoggedIn {
            // The server has already forgotten it.
        } catch let failure as Failure where failure.status == .unreachable {
            file.remove()
            Terminal.complain("\(failure.text)\nThe session is forgotten here; at the server it ends when it expires.")
            throw ExitCode(failure.status.rawValue)
        }
        file.remove()
        Terminal.say("Logged out.")
    }
}
