import ArgumentParser
import Foundation

/// The question that a command asks before it does what cannot be undone, and the flag that answers it.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do so without asking.")
    var yes = false

    /// Asks, unless the flag answers.
    func ask(_ question: String, undone: String) throws {
        if !yes { try Self.askTerminal(question, undone: undone) }
    }

    /// Returns after a yes; throws after any other answer, and where standard input is no terminal.
    ///
    /// `undone` is part of the error, and says what has not happened.
    static func askTerminal(
        _ question: String, undone: String, advice: String = "--yes does without asking."
    ) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .failed, "the question cannot be asked, because standard input is no terminal; \(undone)",
                advice: advice)
        }
        Terminal.note("\(question) [y/N] ")
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            throw Failure(.failed, undone)
        }
    }
}
