import AdminMessages
import ArgumentParser
import Foundation
import InputBounds

/// The command `martlet export`.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write what the server has as a directory of files, for martlet apply.",
        discussion: """
            Of secrets it writes names, kinds and markers, and environment variables in which martlet apply will look \
            for the values: the server tells them to nobody. What packages brought, values of single devices, people \
            and devices are no part of it.
            """)

    @Argument(help: "The directory, which must be empty or not there yet.", completion: .directory)
    var directory: String

    @OptionGroup var output: Output

    func run() async throws {
        let writer = try FleetWriter(directory)
        let files = try await Server.inSession { try await writer.write(from: $0) }
        try output.done(["directory": directory, "files": "\(files)"]) {
            "Wrote \(Count.text(files, "file")) to \(Printable.line(directory))."
        }
    }
}
