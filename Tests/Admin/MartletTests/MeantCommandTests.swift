import ArgumentParser
import MeantCommand
import Testing
import martlet

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
            return MeantCommand.mistake(in: words, of: program, after: error)?.sentence
                ?? program.message(for: error)
        }
    }

    /// Red where the parser's own words came, such as "3 unexpected arguments".
    @Test(arguments: [
        (["grp", "create", "x"], "Unknown command 'grp'. Did you mean 'group'?"),
        (["group", "crate", "x"], "Unknown command 'group crate'. Did you mean 'group create'?"),
        (["group", "crate"], "Unknown command 'group crate'. Did you mean 'group create'?"),
        (["device", "app", "isntall"], "Unknown command 'device app isntall'. Did you mean 'device app install'?"),
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

    /// Red where the parser named the missing `--group` alone, and `--rule` for `--nmae`.
    @Test(arguments: [
        (["enrollment-code", "create", "--grup", "x"], "Unknown option '--grup'. Did you mean '--group'?"),
        (["enrollment-code", "create", "--grup=x"], "Unknown option '--grup'. Did you mean '--group'?"),
        (["dev", "com.example.notes", "--dir", "x"], "Unknown option '--dir'. Did you mean '--directory'?"),
        (["device", "attributes", "x", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
        (["group", "create", "x", "--nmae"], "Unknown option '--nmae'."),
        (["--json", "group", "list"], "Unknown option '--json'. The options of a command stand after its name."),
    ])
    func theNearestOptionIsNamed(words: [String], sentence: String) {
        #expect(complaint(words) == sentence)
    }

    /// Red where the help of the whole program was named for a mistake in one of its commands.
    @Test func theHelpOfTheCommandThatWasFoundIsNamed() throws {
        func text(_ words: [String]) throws -> String {
            let thrown = #expect(throws: (any Error).self) { try Martlet.parseAsRoot(words) }
            let error = try #require(thrown)
            let mistake = MeantCommand.mistake(in: words, of: Martlet.self, after: error)
            return try #require(mistake).text
        }
        let group = try text(["group", "crate", "x"])
        #expect(group.hasPrefix("martlet: Unknown command 'group crate'."))
        #expect(group.contains("Usage: martlet group <subcommand>\n"))
        #expect(group.hasSuffix("See 'martlet group --help' for more information."))
        let option = try text(["enrollment-code", "create", "--grup", "x"])
        #expect(option.contains("Usage: martlet enrollment-code create --group <group>"))
        #expect(option.hasSuffix("See 'martlet enrollment-code create --help' for more information."))
    }

    /// What a command takes, what is behind `--`, and what a program that was started ended with, is no mistake.
    @Test func otherMistakesAreTheParsersToName() {
        #expect(complaint(["group", "create"]).contains("Missing expected argument"))
        #expect(complaint(["dev", "com.example.notes", "--", "x", "--dir"]).contains("--directory <directory>"))
        let status = ExitCode(ExitCode.validationFailure.rawValue)
        #expect(MeantCommand.mistake(in: ["grp"], of: Martlet.self, after: status) == nil)
    }
}
