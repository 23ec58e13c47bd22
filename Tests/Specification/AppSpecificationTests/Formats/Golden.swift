import AppSpecification
import Foundation
import InputBounds

/// Files that conversions are compared with; `MARTLET_RECORD=1` writes them anew, for people to look at.
enum Golden {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL

    static func data(_ path: String) throws -> Data { try Data(contentsOf: folder.appending(path: path)) }

    /// The names of a folder's files that something is expected of.
    static func inputs(_ name: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path)) ?? []
        return names.filter { !$0.hasSuffix(".expected") }.sorted().map { name + "/" + $0 }
    }

    static func expected(_ path: String, _ found: String) throws -> String {
        if ProcessInfo.processInfo.environment["MARTLET_RECORD"] != nil {
            try Data(found.utf8).write(to: folder.appending(path: path))
        }
        return String(decoding: try data(path), as: UTF8.self)
    }

    /// What came of a reading: the notes, and the document.
    static func text(_ converted: Converted<AppSpecification>) -> String {
        converted.notes.map { "\($0)\n" }.joined() + text(converted.value.document, "") + "\n"
    }

    private static func text(_ value: JSONValue, _ indent: String) -> String {
        let inside = indent + "  "
        switch value {
        case .object(let entries) where !entries.isEmpty:
            let lines = entries.sorted { $0.key < $1.key }.map { "\(inside)\($0.key): " + text($0.value, inside) }
            return "{\n" + lines.joined(separator: "\n") + "\n\(indent)}"
        case .array(let items) where items.contains { $0.object != nil }:
            return "[\n" + items.map { inside + text($0, inside) }.joined(separator: "\n") + "\n\(indent)]"
        default: return String(decoding: value.encoded(), as: UTF8.self)
        }
    }
}
