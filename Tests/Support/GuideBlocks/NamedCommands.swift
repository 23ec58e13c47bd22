/// The command lines that a document names, in its blocks and between its words.
package enum NamedCommands {
    /// The words of each line of a document in Markdown that begins with one of the programs.
    package static func of(_ programs: Set<String>, in text: String) -> [[String]] {
        var (prose, code, isBlock) = ("", "", false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isBlock.toggle()
            } else if isBlock {
                code += "\(line)\n"
            } else {
                prose += "\(line)\n"
            }
        }
        let lines = code.replacing("\\\n", with: " ").split(separator: "\n").flatMap(parts)
        return (lines + spans(of: prose)).compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first, programs.contains(first) else { return nil }
            return words
        }
    }

    /// The commands of one line of a shell.
    private static func parts(of line: Substring) -> [Substring] {
        let typed = line.hasPrefix("$ ") ? line.dropFirst(2) : line
        return typed.split(whereSeparator: { "|;&".contains($0) }).map { part in
            let command = part.drop(while: { $0 == " " })
            return command.hasPrefix("sudo ") ? command.dropFirst(5) : command
        }
    }

    /// What stands between single accents; a missing one spoils its own paragraph alone.
    private static func spans(of prose: String) -> [Substring] {
        prose.split(separator: "\n\n").flatMap { paragraph in
            paragraph.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        }
    }
}
