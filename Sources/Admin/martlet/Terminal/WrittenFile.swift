import ArgumentParser
import Foundation

/// Where a command writes a file: one that is there already is somebody's, and stays unless they say otherwise.
struct WrittenFile: ParsableArguments {
    @Flag(help: "Replace the file if there is one already.")
    var replace = false

    /// The file that an option names; nothing if it is left out or names standard output.
    static func path(_ output: String?) -> String? {
        output.flatMap { ["-", "/dev/stdout", "/dev/fd/1"].contains($0) ? nil : $0 }
    }

    /// Refuses a path at which something is; to be asked before anything else is done.
    func requireFree(_ path: String?, mayBeDevice: Bool = false) throws(Failure) {
        guard let path else { return }
        try Self.requireFree(path, replacing: replace, mayBeDevice: mayBeDevice)
    }

    static func requireFree(_ path: String, replacing: Bool, mayBeDevice: Bool = false) throws(Failure) {
        guard path != "-" else {
            throw Failure(
                .refused, "this command writes a file, not to standard output",
                advice: "Name a file; one that is called - is written as ./-")
        }
        guard !OpenedDevice.lies(at: path) else {
            // What is renamed to its place would remove the device.
            guard !mayBeDevice else { return }
            throw Failure(
                .refused, "\(Printable.line(path)) is a device or a pipe; nothing was written",
                advice: "This command writes a whole file: name another one.")
        }
        // A link that leads nowhere is somebody's, too.
        guard !replacing, (try? FileManager.default.attributesOfItem(atPath: path)) != nil else { return }
        throw Failure(
            .refused, "\(Printable.line(path)) is there already; nothing was written",
            advice: "Name another file, or replace this one with --replace.")
    }
}
