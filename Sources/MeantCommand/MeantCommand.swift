package import ArgumentParser
import Foundation
import InputBounds

/// Which command or option was probably meant by a word that names none.
///
/// The parser knows a mistyped command only as an argument too many, and does not name a mistyped option if another one
/// is missing because of that.
package enum MeantCommand {
    /// A word of a command line that names no command, or no option of its command.
    package struct Mistake: Equatable, Sendable {
        /// What is wrong, and what was probably meant.
        package let sentence: String
        /// The sentence, how the command is used, and where its help is.
        package let text: String

        init(_ sentence: String, in place: CommandPlace) {
            self.sentence = sentence
            text = """
                \(place.errorPrefix)\(sentence)
                Usage: \(place.usage)
                  See '\(place.name) --help' for more information.
                """
        }
    }

    /// Ends the program with what ended its command, or with the mistake that led to that.
    ///
    /// - Parameters:
    ///   - error: what ended the command.
    ///   - root: the program's own command; its default command, if it has one, takes no word that is no option.
    ///   - arguments: what the program was given, without its own name.
    package static func end(
        _ error: any Error, root: any ParsableCommand.Type, arguments: some Sequence<String>
    ) -> Never {
        guard let mistake = mistake(in: arguments, of: root, after: error) else { root.exit(withError: error) }
        try? FileHandle.standardError.write(contentsOf: Data((mistake.text + "\n").utf8))
        exit(ExitCode.validationFailure.rawValue)
    }

    /// The first word that names no command or option; nothing if each does, or if the error is not one of usage.
    package static func mistake(
        in arguments: some Sequence<String>, of root: any ParsableCommand.Type, after error: any Error
    ) -> Mistake? {
        // A program that was started for the caller may end with the status of wrong usage.
        guard !(error is ExitCode), root.exitCode(for: error) == ExitCode.validationFailure else { return nil }
        var place = CommandPlace(root)
        for word in arguments {
            if word == "--" { return nil }
            if word.hasPrefix("-") {
                place.enterDefault()
                if let sentence = place.complaint(ofOption: word) { return Mistake(sentence, in: place) }
            } else if place.hasSubcommands {
                guard word != "help" else { return nil }
                if place.enter(word) { continue }
                // A word after a command with a default one may be an argument of that.
                if !place.isRoot, place.enterDefault() { continue }
                return Mistake(place.complaint(ofCommand: word), in: place)
            }
        }
        return nil
    }

    /// The name with the fewest changes; otherwise the only one of which the word is a short form, as grp is of group.
    static func nearest(to word: String, among names: [String]) -> String? {
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
