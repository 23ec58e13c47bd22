import AdminMessages
import ArgumentParser

/// The command `martlet audit verify`.
struct AuditVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that each entry of the audit log follows from the one before.",
        discussion: """
            The server does it as a job; a terminal shows how far it is. Ends with 1 if an entry does not follow. Note the \
            printed hash elsewhere: as long as the log still holds it, nobody rewrote what came before.
            """)

    @Option(
        help: ArgumentHelp("Check a log that was exported; the server is not asked.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup var output: Output

    func run() async throws {
        let result: AuditVerification =
            if let file {
                try ExportedLog.verify(fileAt: file)
            } else {
                try await Server.inSession { server in
                    let job: Job = try await server.send(.post, ["audit", "verification"]).decoded()
                    return try await job.ended(server, "checking the audit log").outcome()
                }
            }
        guard result.intact else {
            throw Failure(
                .failed,
                "the audit log is broken" + (result.brokenAt.map { " at entry \($0)" } ?? "")
                    + (result.rule.map { ": \(Printable.line($0))" } ?? ""),
                advice: "Entries were changed or removed behind the server's back. Compare the log with a copy of it.")
        }
        try output.print(result) {
            AuditText.verified(result)
        }
    }
}
