import ArgumentParser
import Foundation

/// Where a command writes a file: one that is there already is somebody's, and stays unless they say otherwise.
struct WrittenFile: ParsableArguments {
    @Flag(help: "Replace the file if there is one already.")
    var replace = false

    /// Refuses a path at which something is; to be asked before anything else is done.
    func requireFree(_ path: String?) throws(Failure) {
        guard let path else { return }
        try Self.requireFree(path, replacing: replace)
    }

    static func requireFree(_ path: String, replacing: Bool) throws(Failure) {
        // A link that leads nowhere is somebody's, too.
        guard !replacing, (try? FileManager.default.attributesOfItem(atPath: path)) != nil else { return }
        throw Failure(
            .refused, "\(Printable.line(path)) is there already; nothing was written",
            advice: "Name another file, or replace this one with --replace.")
    }
}
