import CommandOutput
import Foundation

/// The two streams the tool writes to.
enum Terminal {
    /// Whether titles may be bold: standard output is a terminal and nobody asked for plain text.
    static var mayStyle: Bool {
        isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// How many columns standard output has; nothing if it is no terminal.
    static var columns: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether standard output is a terminal that can be painted again.
    static var isScreen: Bool { isatty(STDOUT_FILENO) == 1 }

    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes one line for the administrator or the program that reads.
    ///
    /// If it cannot be written, the command finishes its work and fails then.
    static func say(_ text: String) {
        CommandOutput.say(text)
    }

    /// Writes bytes as they are.
    static func write(_ bytes: Data) {
        CommandOutput.write(bytes)
    }

    /// Ends a command that would go on although what it shows cannot be written; with success if its reader went away.
    static func requireWritten() throws(Failure) {
        if CommandOutput.isReaderGone { exit(EXIT_SUCCESS) }
        if let loss = CommandOutput.loss { throw Failure(loss, isChangeMade: Server.hasChanged) }
    }

    /// Writes one line beside the result: a failure, a warning, a step.
    static func complain(_ text: String) {
        note(text + "\n")
    }

    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
