import ArgumentParser
import MeantCommand
import Testing

@testable import martlet

/// A program with a default command, as the server is.
private struct Serving: ParsableCommand {
    struct Run: ParsableCommand {
        @Option var host = "localhost"
    }

    struct Check: ParsableCommand {
        @Argument var directory: String?
    }

    static let configuration = CommandConfiguration(subcommands: [Run.self, Check.self], defaultSubcommand: Run.self)
}

/// A mistyped command is answered with the nearest one.
@Suite struct MeantCommandTests {
    /// What the program prints about a command line that it does not take.
    private func complaint(_ words: [String], of program: any ParsableCommand.Type = Martlet.self) -> String {
        do {
            _ = try program.parseAsRoot(words)
            return ""
        } catch {
            return program.message(
                for: MeantCommand.refusal(of: error, root: program, arguments: words))
        }
    }

    /// Red where the parser's own words came, such as "3 unexpected arguments".
    @Test(arguments: [
        (["grp", "create", "x"], "Unknown command 'grp'. Did you mean 'group'?"),
        (["group", "crate", "x"], "Unknown command 'crate'. Did you mean 'create'?"),
        (["group", "crate"], "Unknown command 'crate'. Did you mean 'create'?"),
        (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
        (["xyzzyxyzzy"], "Unknown command 'xyzzyxyzzy'."),
    ])
    func theNearestIsNamed(words: [String], sentence: String) {
        #expect(complaint(words) == sentence)
    }

    /// Red where the word was an argument too many of the default command.
    @Test func aProgramWithADefaultCommandNamesTheNearestToo() {
        #expect(complaint(["rnu"], of: Serving.self) == "Unknown command 'rnu'. Did you mean 'run'?")
        #expect(complaint(["chekc", "x"], of: Serving.self) == "Unknown command 'chekc'. Did you mean 'check'?")
        #expect(complaint(["--hots", "x"], of: Serving.self).contains("Unknown option '--hots'"))
        #expect(complaint(["check", "a", "b"], of: Serving.self).contains("Unexpected argument 'b'"))
        for words in [[], ["--host", "x"], ["check"]] { #expect(complaint(words, of: Serving.self).isEmpty) }
    }

    /// What a command itself does not take is said by the parser.
    @Test func otherMistakesAreTheParsersToName() {
        #expect(complaint(["group", "create"]).contains("Missing expected argument"))
        #expect(complaint(["group", "create", "x", "--nmae"]).contains("Unknown option"))
    }
}
