package import Foundation

/// What a program's parser takes: its commands, and the options of each.
package struct CommandTree: Sendable {
    private let root: Command

    /// Reads what the program prints on `--experimental-dump-help`.
    package init(dump: Data) throws {
        root = try JSONDecoder().decode(Dump.self, from: dump).command
    }

    package var program: String { root.commandName }

    /// What a command line names that the program does not have; nothing where it has all of it.
    ///
    /// The first word of the line is the program. Values are not looked at, nor is what stands behind `--`, a comment or a
    /// redirection.
    package func fault(in line: [String]) -> String? {
        var (command, path, mayDescend) = (root, root.commandName, true)
        var isValue = false
        for word in line.dropFirst() {
            if isValue {
                isValue = false
                continue
            }
            if Self.ends.contains(word) || word.hasPrefix("#") { return nil }
            if word.hasPrefix("-"), word != "-" {
                let option = String(word.prefix { $0 != "=" })
                let argument = command.argument(option) ?? (path == program ? usual?.argument(option) : nil)
                let isVersion = path == program && option == "--version"
                guard argument != nil || isVersion else { return "\(path) has no option \(option)" }
                isValue = argument?.kind == "option" && option == word
            } else if mayDescend {
                if let next = command.inner.first(where: { $0.commandName == word }) {
                    (command, path) = (next, "\(path) \(word)")
                    continue
                }
                mayDescend = false
                let isPlaceholder = word.hasPrefix("<") || word.hasPrefix("…")
                guard command.inner.isEmpty || command.takesWords || isPlaceholder else {
                    return "\(path) has no command \(word)"
                }
            }
        }
        return nil
    }

    private static let ends: Set<String> = ["--", "|", "||", "&", "&&", ";", "<", "<<", ">", ">>"]

    /// What a service does where it is told no command.
    ///
    /// The dump does not say it, nor does it have `--version`.
    private var usual: Command? { root.inner.first { $0.commandName == "run" } }

    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable, Sendable {
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        var inner: [Command] { subcommands ?? [] }
        var takesWords: Bool { arguments?.contains { $0.kind == "positional" } ?? false }

        func argument(_ option: String) -> Argument? {
            (arguments ?? []).first { argument in (argument.names ?? []).contains { $0.text == option } }
        }
    }

    private struct Argument: Decodable, Sendable {
        let kind: String
        let names: [Name]?
    }

    private struct Name: Decodable, Sendable {
        let kind: String
        let name: String

        var text: String { (kind == "long" ? "--" : "-") + name }
    }
}
