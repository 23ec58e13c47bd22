import InputBounds

extension AppSpecification {
    /// The document for people and for version control: keys in order, a value a line.
    package func pretty() -> String {
        var text = ""
        Self.write(document, indent: "", to: &text)
        return text + "\n"
    }

    private static func write(_ value: JSONValue, indent: String, to text: inout String) {
        switch value {
        case .object(let entries) where !entries.isEmpty:
            let inside = indent + "  "
            text += "{\n"
            for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                text += inside + encoded(.string(entry.key)) + ": "
                write(entry.value, indent: inside, to: &text)
                text += index == entries.count - 1 ? "\n" : ",\n"
            }
            text += indent + "}"
        case .array(let items) where items.contains { $0.object != nil || $0.array != nil }:
            let inside = indent + "  "
            text += "[\n"
            for (index, item) in items.enumerated() {
                text += inside
                write(item, indent: inside, to: &text)
                text += index == items.count - 1 ? "\n" : ",\n"
            }
            text += indent + "]"
        default: text += encoded(value)
        }
    }

    private static func encoded(_ value: JSONValue) -> String { String(decoding: value.encoded(), as: UTF8.self) }
}
