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

        let kind: String
        let isRepeating: Bool
        let shouldDisplay: Bool?
        let abstract: String?
        let names: [Name]?

        var options: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }
    }

    /// Red where an option is hidden, has no word of help, or is a setting of `run` that another command shows.
    ///
    /// Commands beside the server take these settings, which scripts may give to all alike, and hide them. It checks
    /// every option in the parser's own description, and the text of `--help` for some commands.
    @Test(arguments: ["martlet", "martlet-agent", "martlet-server"])
    func aCommandsHelpListsItsOptions(program: String) async throws {
        let dump = try await Road.answer(of: program, ["--experimental-dump-help"])
        let all = try JSONDecoder().decode(Dump.self, from: Data(dump.text.utf8)).command.all()
        #expect(all.count > 3)
        let running = all.first { program == "martlet-server" && $0.path == ["run"] }?.command.arguments ?? []
        let ofRun = Set(running.flatMap(\.options)).subtracting(["--config", "--data-directory", "--help", "--version"])
        #expect(ofRun.isEmpty == (program != "martlet-server"))
        for (path, command) in all {
            for argument in command.arguments ?? [] where !argument.options.contains("--help") {
                let isShown = path == ["run"] || argument.options.isEmpty || !ofRun.isSuperset(of: argument.options)
                #expect(
                    (argument.shouldDisplay != false) == isShown && argument.abstract?.isEmpty == false,
                    "\(program) \(path.joined(separator: " ")): \(argument.options)")
            }
        }
        for index in stride(from: 0, to: all.count, by: max(1, all.count / 20)) {
            let (path, command) = all[index]
            let help = try await Road.answer(of: program, path + ["--help"])
            #expect(help.status == 0, "\(help.text)")
            for option in (command.arguments ?? []).filter({ $0.shouldDisplay != false }).flatMap(\.options) {
                #expect(help.text.contains(option), "\(program) \(path.joined(separator: " ")) \(option): \(help.text)")
            }
        }
    }

    /// Red where two arguments of a command have one name, or one follows an argument that takes all that is left.
    ///
    /// The parser checks this itself in a debug build alone.
    @Test(arguments: ["martlet", "martlet-agent", "martlet-server"])
    func theArgumentsOfACommandAreToldApart(program: String) async throws {
        let dump = try await Road.answer(of: program, ["--experimental-dump-help"])
        for (path, command) in try JSONDecoder().decode(Dump.self, from: Data(dump.text.utf8)).command.all() {
            let arguments = command.arguments ?? []
            let names = arguments.flatMap { $0.names ?? [] }.map { "\($0.kind) \($0.name)" }
            #expect(Set(names).count == names.count, "\(program) \(path.joined(separator: " ")): \(names)")
            let positional = arguments.filter { $0.kind == "positional" }
            #expect(!positional.dropLast().contains { $0.isRepeating }, "\(program) \(path.joined(separator: " "))")
        }
    }
}
