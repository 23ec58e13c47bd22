import ArgumentParser

/// The command `martlet audit export`.
struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the whole audit log to a file, an entry in each line.",
        discussion: """
            The file can be checked without the server, wherever it is kept:

              martlet audit export --output audit.jsonl
              martlet audit verify --file audit.jsonl
            """)

    @Option(
        help: ArgumentHelp("Where to write it; standard output if left out, or if it is -.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var target: WrittenFile

    func run() async throws {
        let path = WrittenFile.path(output)
        try target.requireFree(path, mayBeDevice: true)
        try await Server.inSession { server in
            guard let path else {
                try await server.stream("audit", "export") { part in
                    Terminal.write(part)
                    try Terminal.requireWritten()
                }
                return
            }
            // It has its name only when it is whole.
            let file = try LocalFile(path, mode: 0o600)
            try await server.stream("audit", "export") { try file.write($0) }
            try file.commit()
        }
    }
}
