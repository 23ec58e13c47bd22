import Foundation
import InputBounds
import JSONSchema
import Testing

/// References inside a schema, which are JSON pointers.
struct SchemaReferenceTests {
    /// Was red: a slash with a combining mark behind it is another character to Swift, so that the reference led nowhere.
    @Test(arguments: [
        ("\u{301}x", "\u{301}x"), ("a/\u{301}b", "a~1\u{301}b"), ("a~\u{301}b", "a~0\u{301}b"),
    ])
    func aReferenceLeadsToANameWithACombiningMark(name: String, pointer: String) throws {
        let document: JSONValue = .object([
            "$defs": .object([name: .object(["type": .string("integer")])]),
            "properties": .object(["key": .object(["$ref": .string("#/$defs/" + pointer)])]),
        ])
        let schema = try JSONSchema(document)
        #expect(schema.violations(of: PropertyListValue.dictionary(["key": .integer(1)])).isEmpty)
        #expect(schema.violations(of: PropertyListValue.dictionary(["key": .string("x")])).count == 1)
    }
}
