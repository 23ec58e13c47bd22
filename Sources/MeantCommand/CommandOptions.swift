import ArgumentParser
import Foundation

/// The long options of a command, without their dashes.
struct CommandOptions {
    /// Options that the parser adds to every program.
    static let ofParser: Set<String> = ["help-hidden", "experimental-dump-help", "generate-completion-script"]

    let known: Set<String>
    /// Those that the help lists.
    let shown: [String]

    /// Reads them from the description that the parser gives of the command; nothing if that reads otherwise.
    init?(of command: any ParsableCommand.Type) {
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8)) else { return nil }
        let arguments = dump.command.arguments ?? []
        known = Set(arguments.flatMap(\.long))
        shown = arguments.filter { $0.shouldDisplay ?? true }.flatMap(\.long)
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let shouldDisplay: Bool?
            let names: [Name]?

            var long: [String] { (names ?? []).filter { $0.kind == "long" }.map(\.name) }
        }

        let command: Command
    }
}
