import ArgumentParser
import MeantCommand
import Testing

@testable import martlet

/// A mistyped command is answered with the nearest one.
@Suite struct MeantCommandTests {
    /// What the program prints about a command line that it does not take.
    private func complaint(_ words: [String]) -> String {
        do {
            _ = try Martlet.parseAsRoot(words)
            return ""
        } catch {
            return Martlet.message(
                for: MeantCommand.refusal(of: error, root: Martlet.self, arguments: words))
        }
    }

    /// Red where the parser's own words came, such as "3 unexpected arguments".
    @Test(arguments: [
        (["grp", "create", "x"], "Unknown command 'grp'. Did you mean 'group'?"),
        (["group", "crate", "x"], "Unknown command 'crate'. Did you mean 'create'?"),
        (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
        (["xyzzyxyzzy"], "Unknown command 'xyzzyxyzzy'."),
    ])
    func theNearestIsNamed(words: [String], sentence: String) {
        #expect(complaint(words) == sentence)
    }

    /// What a command itself does not take is said by the parser.
    @Test func otherMistakesAreTheParsersToName() {
        #expect(complaint(["group", "create"]).contains("Missing expected argument"))
        #expect(complaint(["group", "create", "x", "--nmae"]).contains("Unknown option"))
    }
}
