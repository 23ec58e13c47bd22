import InputBounds
import JSONSchema

/// Leaves out of a published schema the keywords that make it none, one after the other, and lists each.
struct SchemaRepair {
    /// Keywords at most; a document with more faults is none that is worth reading.
    private static let most = 32

    private(set) var notes: ConversionNotes

    init(notes: ConversionNotes) { self.notes = notes }

    /// The document, repaired as far as possible; the schema's reader reports what is still wrong.
    mutating func mended(_ document: JSONValue) -> JSONValue {
        var document = document
        for _ in 0..<Self.most {
            guard let fault = Self.fault(of: document) else { return document }
            let steps = Self.steps(of: fault.place)
            guard let shorter = Self.removing(steps[...], from: document) else { return document }
            document = shorter
            let (path, keyword) = Self.place(steps)
            notes.lose(path, String(keyword.prefix(64)), "it is left out: \(fault.rule)")
        }
        return document
    }

    private static func fault(of document: JSONValue) -> SchemaRefusal? {
        do throws(SchemaRefusal) {
            _ = try JSONSchema(document)
            return nil
        } catch {
            return error
        }
    }

    /// The parts of a JSON pointer.
    ///
    /// By scalars, as the names of keys are: one may begin with a combining mark.
    private static func steps(of pointer: String) -> [String] {
        pointer.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~")
        }
    }

    private static func removing(_ steps: ArraySlice<String>, from value: JSONValue) -> JSONValue? {
        guard let first = steps.first else { return nil }
        let rest = steps.dropFirst()
        switch value {
        case .object(var entries):
            guard let inner = entries[first] else { return nil }
            let shorter = removing(rest, from: inner)
            guard rest.isEmpty || shorter != nil else { return nil }
            entries[first] = shorter
            return .object(entries)
        case .array(var items):
            guard let index = Int(first), items.indices.contains(index) else { return nil }
            if rest.isEmpty {
                items.remove(at: index)
            } else {
                guard let shorter = removing(rest, from: items[index]) else { return nil }
                items[index] = shorter
            }
            return .array(items)
        default: return nil
        }
    }

    /// Which key a place in the schema is about, and the keyword there.
    private static func place(_ steps: [String]) -> (path: SpecifiedPath, keyword: String) {
        var path: SpecifiedPath = []
        var (keyword, isName) = ("", false)
        for step in steps {
            if isName {
                if keyword == "properties" { path = path + .key(step) }
                isName = false
                continue
            }
            // What stands in a list of schemas is told by the list.
            guard !SchemaKeywords.lists.contains(keyword) || Int(step) == nil else { continue }
            if keyword == "items" { path = path + .item }
            if keyword == "additionalProperties" { path = path + .value }
            keyword = step
            isName = SchemaKeywords.named.contains(step)
        }
        return (path, keyword)
    }
}
