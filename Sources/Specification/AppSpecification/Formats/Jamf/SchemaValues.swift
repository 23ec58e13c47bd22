import InputBounds
import JSONSchema

/// Puts right or leaves out defaults and examples of a schema that it does not allow itself.
struct SchemaValues {
    var notes: ConversionNotes
    private var keys: SchemaKeys

    /// Looks at a document of 2020-12; `notes` go on.
    init(of document: JSONValue, notes: ConversionNotes) {
        keys = SchemaKeys(document)
        self.notes = notes
    }

    mutating func mended(_ schema: JSONValue, at path: SpecifiedPath) -> JSONValue {
        guard case .object(var keywords) = schema else { return schema }
        keywords = SchemaKeywords.mapped(keywords, at: path) { mended($0, at: $1) }
        guard keywords["default"] != nil || keywords["examples"]?.array?.isEmpty == false else {
            return .object(keywords)
        }
        let key = keys.key(.object(keywords))
        var allowed = key
        // What it refers to may have a default of its own, which is looked at where it stands.
        if keywords["default"] == nil { allowed.defaultValue = nil }
        if keywords["examples"] == nil { allowed.examples = [] }
        let before = allowed
        notes.mendOwnValues(of: &allowed, at: path)
        if allowed.defaultValue != before.defaultValue { keywords["default"] = allowed.defaultValue }
        if allowed.examples != before.examples {
            keywords["examples"] = allowed.examples.isEmpty ? nil : .array(allowed.examples)
        }
        if let variable = allowed.variable, before.variable == nil {
            keywords["x-variable"] = .object(
                ["scope": .string(variable.scope), "name": .string(variable.name)])
        }
        return .object(keywords)
    }
}
