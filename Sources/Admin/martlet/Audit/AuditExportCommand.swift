import ArgumentParser
import Foundation

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
        help: ArgumentHelp("Where to write it; to standard output without it.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var target: WrittenFile

    func run() async throws {
        try target.requireFree(output)
        try await Server.inSession { server in
            guard let output else {
                try await server.stream("audit", "export") { try FileHandle.standardOutput.write(contentsOf: $0) }
                return
            }
            // It has its name only when it is whole.
            let draft = output + ".\(ProcessInfo.processInfo.processIdentifier).part"
            guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
                let file = FileHandle(forWritingAtPath: draft)
            else { throw Failure(.failed, "\(Printable.line(output)) cannot be written") }
            do {
                try await server.stream("audit", "export") { try file.write(contentsOf: $0) }
                try file.close()
                guard unsafe rename(draft, output) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                try? FileManager.default.removeItem(atPath: draft)
                throw error
            }
        }
    }
}
