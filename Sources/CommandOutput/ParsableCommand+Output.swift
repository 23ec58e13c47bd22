package import ArgumentParser

extension AsyncParsableCommand {
    /// Runs the command that the program's arguments name, and throws if its output is lost.
    ///
    /// The parser would print a help text itself, and would not notice that it is lost.
    package static func runNamed() async throws {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let status as ExitCode {
            // The output says what the status means.
            try CommandOutput.requireWritten()
            throw status
        } catch {
            // A request for help is an error with the text and the status of success.
            guard exitCode(for: error) == ExitCode.success else { throw error }
            let text = fullMessage(for: error)
            if !text.isEmpty { CommandOutput.say(text) }
        }
        try CommandOutput.requireWritten()
    }
}
