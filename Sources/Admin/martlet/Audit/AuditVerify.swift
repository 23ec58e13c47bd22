import AdminMessages
import ArgumentParser

/// The command `martlet audit verify`.
struct AuditVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that each entry of the audit log follows from the one before.",
        discussion: """
            Ends with 1 if one does not. Note the printed hash elsewhere: as long as the log still holds it, nobody \
            rewrote what came before.
            """)

    @OptionGroup var output: Output

    func run() async throws {
        let result: AuditVerification = try await Server.inSession { try await $0.get("audit", "verification") }
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
