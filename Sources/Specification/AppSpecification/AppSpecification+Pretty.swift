package import InputBounds

extension AppSpecification {
    /// The document for people and for version control: keys in order, a value a line.
    package func pretty() -> String { document.pretty() + "\n" }
}

extension JSONValue {
    /// The value for people: keys in order, a value a line.
    package func pretty() -> String {
        var text = ""
        write(indent: "", to: &text)
        return text
    }

    private func write(indent: String, to text: inout String) {
        switch self {
        case .object(let entries) where !entries.isEmpty:
            let inside = indent + "  "
            text += "{\n"
            for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                text += inside + Self.encoded(.string(entry.key)) + ": "
                entry.value.write(indent: inside, to: &text)
                text += index == entries.count - 1 ? "\n" : ",\n"
            }
            text += indent + "}"
        case .array(let items) where items.contains { $0.object != nil || $0.array != nil }:
            let inside = indent + "  "
            text += "[\n"
            for (index, item) in items.enumerated() {
                text += inside
                item.write(indent: inside, to: &text)
                text += index == items.count - 1 ? "\n" : ",\n"
            }
            text += indent + "]"
        default: text += Self.encoded(self)
        }
    }

    private static func encoded(_ value: JSONValue) -> String { String(decoding: value.encoded(), as: UTF8.self) }
}
