import Foundation
import Testing

/// `--help` of a command says what the command takes.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)))
struct CommandHelpTests {
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The command and those below it, but for commands that programs call themselves.
        func all(below path: [String] = []) -> [(path: [String], command: Command)] {
            let inner = (subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false }
            return [(path: path, command: self)] + inner.flatMap { $0.all(below: path + [$0.commandName]) }
        }
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let shouldDisplay: Bool?
        let abstract: String?
        let names: [Name]?

        var options: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }
    }

    /// Red where an option is hidden, or has no word of help.
    ///
    /// It checks every option in the parser's own description, and the text of `--help` for some commands.
    @Test(arguments: ["martlet", "martlet-agent", "martlet-server"])
    func aCommandsHelpListsItsOptions(program: String) async throws {
        let dump = try await Road.answer(of: program, ["--experimental-dump-help"])
        let all = try JSONDecoder().decode(Dump.self, from: Data(dump.text.utf8)).command.all()
        #expect(all.count > 3)
        for (path, command) in all {
            for argument in command.arguments ?? [] where !argument.options.contains("--help") {
                let isExplained = argument.shouldDisplay != false && argument.abstract?.isEmpty == false
                #expect(isExplained, "\(program) \(path.joined(separator: " ")): \(argument.options)")
            }
        }
        for index in stride(from: 0, to: all.count, by: max(1, all.count / 20)) {
            let (path, command) = all[index]
            let help = try await Road.answer(of: program, path + ["--help"])
            #expect(help.status == 0, "\(help.text)")
            for option in (command.arguments ?? []).flatMap(\.options) {
                #expect(help.text.contains(option), "\(program) \(path.joined(separator: " ")) \(option): \(help.text)")
            }
        }
    }
}
