import AdminMessages
import ArgumentParser

/// The command `martlet audit list`.
struct AuditList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the entries of the audit log, newest first.",
        discussion: """
            Which devices were given a secret, and everything that one administrator did:

              martlet audit list --action secret.release --subject wifi
              martlet audit list --action 'administrator.*' --since 7d
              martlet audit list --actor administrator:admin --all --json
              martlet audit list --since 2026-01-31 --until 2026-02-01T08:00:00Z
            """)

    @Option(help: ArgumentHelp("Only what they did, such as administrator:admin.", valueName: "actor"))
    var actor: String?

    @Option(
        help: ArgumentHelp(
            "Only what was done so, such as secret.set, or all of a kind, such as 'secret.*'.", valueName: "action"))
    var action: String?

    @Option(help: ArgumentHelp("Only what was done to this.", valueName: "name"))
    var subject: String?

    @Option(help: ArgumentHelp("Not before this day or moment, in UTC, or so long ago: 7d.", valueName: "time"))
    var since: Moment?

    @Option(help: ArgumentHelp("Before this day or moment, or so long ago.", valueName: "time"))
    var until: Moment?

    @Option(help: ArgumentHelp("At most so many entries.", valueName: "count"))
    var limit = 100

    @Flag(help: "All entries.")
    var all = false

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        let filter = [
            ("actor", actor), ("action", action), ("subject", subject), ("since", since?.text), ("until", until?.text),
        ].compactMap { name, value in
            value.map { (name, $0) }
        }
        try await watch.list(
            { try await $0.list("audit", query: filter, first: all ? .max : limit) as [AuditEntry] },
            id: { "\($0.sequence)" }
        ) { entries in
            try output.print(entries, nothing: "No entries.") { AuditText.table(entries) }
        }
    }
}
