import AdminMessages
import ArgumentParser
import Foundation

/// In which form a command prints its result.
struct Output: ParsableArguments {
    @Flag(name: .long, help: "Print JSON for programs.")
    var json = false

    /// Prints a value: as it is for programs, as `text` for people.
    func print(_ value: some Encodable, text: () -> String) throws {
        if json {
            Terminal.say(try Self.document(value))
        } else {
            Terminal.say(text())
        }
    }

    /// The JSON that programs get.
    static func document(_ value: some Encodable) throws -> String {
        String(decoding: try AdminJSON.encodePretty(value), as: UTF8.self)
    }

    /// Prints what was done to what: its names for programs, a sentence for people.
    func done(_ names: [String: String], text: () -> String) throws {
        try print(names, text: text)
    }

    /// Prints a list: as an array for programs, as a table for people, or `nothing` when it is empty.
    func print<Item: Encodable>(_ items: [Item], nothing: String, table: () -> Table) throws {
        try print(items) {
            let table = table()
            return table.isEmpty ? nothing : table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}

extension Date {
    /// The moment as tables show it.
    var shown: String { formatted(Date.ISO8601FormatStyle()) }
}
