package import ArgumentParser
import InputBounds

/// Which command was probably meant by a word that names none.
///
/// The parser knows such a word only as an argument too many.
package enum MeantCommand {
    /// The error to end with in the place of the parser's own, where a word of the command line names no command.
    ///
    /// - Parameters:
    ///   - error: what ended the program.
    ///   - root: the program's own command; its default command, if it has one, takes no word that is no option.
    ///   - arguments: what the program was given, without its own name.
    /// - Returns: the same error where each word names a command, or the error is not one of usage.
    package static func refusal(
        of error: any Error, root: any ParsableCommand.Type, arguments: some Sequence<String>
    ) -> any Error {
        guard root.exitCode(for: error) == ExitCode.validationFailure else { return error }
        var commands = root.configuration.subcommands
        var isFirst = true
        for word in arguments {
            if word.hasPrefix("-") {
                // The parser knows the options of commands, but not this one of the program.
                guard isFirst, word != "--version",
                    NearestWord.to(word, among: ["--version", "--help"]) == "--version"
                else { return error }
                return ValidationError("Unknown option '\(word)'. Did you mean '--version'?")
            }
            guard !commands.isEmpty, word != "help" else { return error }
            let named = commands.first { $0._commandName == word || $0.configuration.aliases.contains(word) }
            guard let command = named else {
                let shown = commands.filter { $0.configuration.shouldDisplay }
                let meant = nearest(to: word, among: shown.map { $0._commandName })
                return ValidationError(
                    "Unknown command '\(word)'." + (meant.map { " Did you mean '\($0)'?" } ?? ""))
            }
            // A word after a command with a default one may be an argument of that.
            guard command.configuration.defaultSubcommand == nil else { return error }
            commands = command.configuration.subcommands
            isFirst = false
        }
        return error
    }

    /// The name with the fewest changes; otherwise the only one of which the word is a short form, as grp is of group.
    private static func nearest(to word: String, among names: [String]) -> String? {
        if let nearest = NearestWord.to(word, among: names) { return nearest }
        let longer = names.filter { isShort(word, for: $0) }
        return longer.count == 1 ? longer.first : nil
    }

    /// Whether a word begins as a name does, and has letters of it alone, in their order.
    private static func isShort(_ word: String, for name: String) -> Bool {
        guard word.count > 1, word.first == name.first else { return false }
        var rest = name[...]
        for letter in word {
            guard let place = rest.firstIndex(of: letter) else { return false }
            rest = rest[rest.index(after: place)...]
        }
        return true
    }
}
