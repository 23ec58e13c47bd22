import Foundation
import GuideBlocks
import Testing

/// How the command lines of a document are found, and compared with what a program takes.
struct NamedCommandTests {
    private static let dump = """
        {"command": {"commandName": "tool", "subcommands": [
            {"commandName": "run", "arguments": [{"kind": "option", "names": [{"kind": "long", "name": "port"}]}]},
            {"commandName": "group", "subcommands": [
                {"commandName": "create", "arguments": [{"kind": "positional"},
                    {"kind": "flag", "names": [{"kind": "short", "name": "y"}, {"kind": "long", "name": "yes"}]}]}]}]}}
        """

    private static let lines: [(String, String?)] = [
        ("tool", nil), ("tool --port 1", nil), ("tool --version", nil), ("tool run --port=1 # --none", nil),
        ("tool group create teachers -y", nil), ("tool group create -- --none", nil), ("tool <command>", nil),
        ("tool grop create", "tool has no command grop"), ("tool group make x", "tool group has no command make"),
        ("tool group create x --no", "tool group create has no option --no"),
        ("tool group --port 1", "tool group has no option --port"),
    ]

    @Test(arguments: lines)
    func whatAProgramDoesNotHaveIsNamed(line: String, fault: String?) throws {
        let tree = try CommandTree(dump: Data(Self.dump.utf8))
        #expect(tree.program == "tool")
        #expect(tree.fault(in: line.split(separator: " ").map(String.init)) == fault)
    }

    @Test func linesAreFoundInBlocksAndBetweenWords() {
        let text = """
            First `tool
            run` and `other` and ``Tool``, then `toolbox`.

            One ` too many.

            ```
            tool group create a \\
                --yes
            make x && sudo tool run | tool group
            $ tool -y
            ```
            """
        let found = NamedCommands.of(["tool"], in: text).map { $0.joined(separator: " ") }
        #expect(found == ["tool group create a --yes", "tool run", "tool group", "tool -y", "tool run"])
    }

    /// Each `make` of README and CONTRIBUTING is in the Makefile.
    @Test(arguments: ["README.md", "CONTRIBUTING.md"]) func whatIsMadeCanBeMade(document: String) throws {
        let text = try String(contentsOf: Guide.tree.appending(path: document), encoding: .utf8)
        let makefile = try String(contentsOf: Guide.tree.appending(path: "Makefile"), encoding: .utf8)
        let targets = Set(makefile.split(separator: "\n").compactMap { $0.wholeMatch(of: /([a-z0-9-]+):.*/)?.output.1 })
        let named = NamedCommands.of(["make"], in: text).compactMap { $0.dropFirst().first }
        #expect(named.count > 3, "\(named)")
        for target in named { #expect(targets.contains(Substring(target)), "\(document): make \(target)") }
    }
}
