import ArgumentParser

/// The command `martlet logout`.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session at the server and forget it here.",
        discussion: "The server stays known: martlet login goes to it again. The session file holds no secret then.")

    @Flag(help: "End every session of this administrator, wherever it was opened.")
    var everywhere = false

    @OptionGroup var output: Output

    func run() async throws {
        let file = SessionFile.present
        let session = try file.load()
        do {
            try await Server.inSession { server in
                // An API token is no session: it is forgotten here and goes on elsewhere, until it is revoked.
                if server.token?.hasPrefix("martlet_") == true { return }
                if everywhere { try await server.delete("sessions") }
                try await server.delete("session")
            }
        } catch let failure as Failure where failure.status == .notLoggedIn {
            // The server has already forgotten it.
        } catch let failure as Failure where failure.status == .unreachable {
            file.forget(session)
            throw Failure(
                failure.status, failure.reason,
                advice: "The session is forgotten here; at the server it ends when it expires.")
        }
        file.forget(session)
        try output.done(["server": session.server]) {
            "Logged out. martlet login goes to \(Printable.line(session.server)) again."
        }
    }
}
