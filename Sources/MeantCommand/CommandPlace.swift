import ArgumentParser

/// The command to which the words of a command line have led so far.
struct CommandPlace {
    private let root: any ParsableCommand.Type
    private var command: any ParsableCommand.Type
    private var names: [String]
    /// No command is named yet, so that an option may be the program's.
    private var isUnnamed = true

    init(_ root: any ParsableCommand.Type) {
        (self.root, command, names) = (root, root, [root._commandName])
    }

    /// The command as it is typed.
    var name: String { names.joined(separator: " ") }

    /// What the program's refusals begin with.
    var errorPrefix: String { root._errorPrefix }

    var usage: String { root.usageString(for: command) }

    var isRoot: Bool { names.count == 1 }

    var hasSubcommands: Bool { !command.configuration.subcommands.isEmpty }

    /// Goes on to the command of this name; whether there is one.
    mutating func enter(_ word: String) -> Bool {
        let named = command.configuration.subcommands.first {
            $0._commandName == word || $0.configuration.aliases.contains(word)
        }
        guard let named else { return false }
        isUnnamed = false
        enter(named)
        return true
    }

    /// Goes on to the command that is run where none is named; whether there is one.
    @discardableResult
    mutating func enterDefault() -> Bool {
        guard let command = command.configuration.defaultSubcommand else { return false }
        enter(command)
        return true
    }

    private mutating func enter(_ next: any ParsableCommand.Type) {
        command = next
        names.append(next._commandName)
    }

    /// What there is to say of a word that names none of the commands here.
    func complaint(ofCommand word: String) -> String {
        // Without the program's name, as its other commands are written in messages and in the help.
        let before = names.dropFirst().map { $0 + " " }.joined()
        let shown = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        let meant = MeantCommand.nearest(to: word, among: shown.map { $0._commandName })
        return "Unknown command '\(before)\(word)'." + (meant.map { " Did you mean '\(before)\($0)'?" } ?? "")
    }

    /// What there is to say of an option; nothing where the command has it, or where the parser says more.
    func complaint(ofOption word: String) -> String? {
        guard word.hasPrefix("--"), let options = CommandOptions(of: command) else { return nil }
        let name = word.dropFirst(2).prefix { $0 != "=" }
        // The parser takes these everywhere, and the program itself answers the version.
        let ours = isUnnamed ? ["help", "version"] : ["help"]
        guard !options.known.union(ours).contains(String(name)), !CommandOptions.ofParser.contains(String(name)) else {
            return nil
        }
        let sentence = "Unknown option '--\(name)'."
        if let meant = MeantCommand.nearest(to: String(name), among: Set(options.shown + ours).sorted()) {
            return sentence + " Did you mean '--\(meant)'?"
        }
        return sentence + (hasSubcommands ? " The options of a command stand after its name." : "")
    }
}
