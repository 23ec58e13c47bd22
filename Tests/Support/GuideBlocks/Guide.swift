package import Foundation

/// A guide of the tree, and the blocks of code in it.
package struct Guide: Sendable {
    package let name: String
    package let blocks: [GuideBlock]
    /// What looks like code and is read by no test: blocks without a fence, or with one that nobody would recognize.
    package let strays: [String]

    /// The top of the tree.
    package static let tree = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    /// Every guide, by name.
    package static func all() throws -> [Guide] {
        let folder = tree.appending(path: "docs/Martlet.docc")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".md") }
            .map { Guide(String($0.dropLast(3)), try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }

    /// Reads a guide's Markdown.
    package init(_ name: String, _ text: String) {
        self.name = name
        var (blocks, strays): ([GuideBlock], [String]) = ([], [])
        var (section, note, before) = ("", "", "")
        var open: (line: Int, language: String, note: String, lines: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if var block = open {
                if line == "```" {
                    blocks.append(
                        GuideBlock(
                            guide: name, line: block.line, section: section, language: block.language,
                            note: block.note, text: block.lines.map { $0 + "\n" }.joined()))
                    open = nil
                } else {
                    block.lines.append(line)
                    open = block
                }
                continue
            }
            if line.hasPrefix("```") {
                open = (index + 2, String(line.dropFirst(3)), note, [])
            } else if line.contains("```") || line.hasPrefix("~~~") || line.hasPrefix("    ") && before.isEmpty {
                strays.append("\(name), line \(index + 1)")
            }
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            note = line.hasPrefix("<!-- ") && line.hasSuffix(" -->") ? String(line.dropFirst(5).dropLast(4)) : ""
            before = String(line)
        }
        if let open { strays.append("\(name), line \(open.line): the block has no end") }
        (self.blocks, self.strays) = (blocks, strays)
    }
}

/// A block of code in a guide.
package struct GuideBlock: Sendable, CustomStringConvertible {
    package let guide: String
    /// The line on which its text begins.
    package let line: Int
    /// The heading it stands under.
    package let section: String
    /// What stands behind the fence.
    package let language: String
    /// The comment on the line before.
    package let note: String
    package let text: String

    package var description: String { "\(guide), line \(line)" }

    /// What a note of a kind says: `<!-- quotes Examples/Greeter/main.swift -->` is one of the kind "quotes".
    package func note(_ kind: String) -> String? {
        note.hasPrefix(kind + " ") ? String(note.dropFirst(kind.count + 1)) : nil
    }

    /// What a terminal shows: each command, with what it promises to say.
    ///
    /// In `sh` all is one command.
    package var commands: [(command: String, promised: [String])] {
        guard language == "console" else { return [(text, [])] }
        var commands: [(command: String, promised: [String])] = []
        var continues = false
        for line in text.split(separator: "\n").map(String.init) {
            if continues {
                commands[commands.count - 1].command += "\n" + line
            } else if line.hasPrefix("$ ") {
                commands.append((String(line.dropFirst(2)), []))
            } else if !commands.isEmpty {
                commands[commands.count - 1].promised.append(line)
            }
            if continues || line.hasPrefix("$ ") { continues = line.hasSuffix("\\") }
        }
        return commands
    }

    /// Whether a line was said as it is promised: the pieces between dots of omission (`…`), in their order.
    package static func says(_ promised: String, in said: String) -> Bool {
        var rest = Substring(said)
        for piece in promised.components(separatedBy: "…") {
            let words = piece.trimmingCharacters(in: .whitespaces)
            guard !words.isEmpty else { continue }
            guard let place = rest.range(of: words) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}
