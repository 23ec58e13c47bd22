import AppSpecification
import Testing

/// S4-FLOW-11: what a reader needs is there, or it is told.
struct SpecificationLintTests {
    /// What must be said of a document; the rule of each.
    struct Example: CustomTestStringConvertible, Sendable {
        let rule: String
        let path: String
        let isError: Bool
        let keys: String
        let more: String

        var testDescription: String { rule + ": " + keys + more }

        init(_ rule: String, at path: String, error isError: Bool = false, _ keys: String, more: String = "") {
            (self.rule, self.path, self.isError, self.keys, self.more) = (rule, path, isError, keys, more)
        }
    }

    static let examples = [
        Example("title", at: "", ""), Example("description", at: "", ""), Example("version", at: "", ""),
        Example("platforms", at: "", ""), Example("samples", at: "", #""k": {"type": "string"}"#),
        Example("errors", at: "", #""k": {"type": "string"}"#),
        Example("description", at: "k", #""k": {"type": "string"}"#),
        Example("type", at: "k", #""k": {"description": "x"}"#),
        Example("items", at: "k", #""k": {"type": "array"}"#),
        Example("properties", at: "k", #""k": {"type": "object"}"#),
        Example("range", at: "k", #""k": {"type": "integer", "minimum": 1}"#),
        Example("range", at: "k[]", #""k": {"type": "array", "items": {"type": "number"}}"#),
        Example("closed", at: "", "", more: #", "additionalProperties": false"#),
        Example("closed", at: "k", #""k": {"type": "object", "additionalProperties": false}"#),
        Example("single-switch", at: "k", #""k": {"type": "boolean"}"#),
        Example("single-switch", at: "isManaged", #""isManaged": {"type": "boolean"}, "b": {"type": "string"}"#),
        Example("required-default", at: "k", #""k": {"type": "string", "default": ""}"#, more: #", "required": ["k"]"#),
        Example("deprecated", at: "k", #""k": {"type": "string", "deprecated": true}"#),
        Example(
            "replaced-by", at: "k", error: true, #""k": {"type": "string", "x-deprecated": {"replacedBy": "none"}}"#),
        Example("pattern", at: "k", #""k": {"type": "string", "pattern": "[a-z]+"}"#),
        Example("keyword", at: "k", #""k": {"type": "string", "maxLenght": 3}"#),
        Example("default", at: "k", error: true, #""k": {"type": "integer", "default": "3"}"#),
        Example("default", at: "k", error: true, #""k": {"type": "string", "format": "date-time", "default": "soon"}"#),
        Example("example", at: "k", error: true, #""k": {"type": "string", "enum": ["a"], "examples": ["b"]}"#),
        Example(
            "sample", at: "x-samples[0]", error: true, #""k": {"type": "string"}"#,
            more: #", "x-samples": [{"configuration": {"k": 1}}]"#),
        Example(
            "sample", at: "x-samples[0]", #""k": {"type": "string"}"#,
            more: #", "x-samples": [{"configuration": {"j": 1}}]"#),
        Example(
            "error-code", at: "x-errors[1]", error: true, "",
            more: #", "x-errors": [{"code": 1, "meaning": "a"}, {"code": 1, "meaning": "b"}]"#),
        Example(
            "error-code", at: "x-errors[0]", error: true, "",
            more: #", "x-errors": [{"code": 2147483647, "meaning": "a"}]"#),
        Example("remedy", at: "x-errors[0]", "", more: #", "x-errors": [{"code": 1, "meaning": "a"}]"#),
        Example("purpose", at: "x-secrets[0]", "", more: #", "x-secrets": [{"kind": "password", "identifier": "a"}]"#),
        Example(
            "secret", at: "x-secrets[1]", error: true, "",
            more: #", "x-secrets": [{"kind": "password", "identifier": "a"}, {"kind": "password", "identifier": "a"}]"#),
        Example("feedback", at: "x-feedback[0]", "", more: #", "x-feedback": [{"key": "a"}]"#),
        Example("purpose", at: "x-feedback[0]", "", more: #", "x-feedback": [{"key": "a"}]"#),
        Example("retention", at: "x-feedback[0]", "", more: #", "x-feedback": [{"key": "a"}]"#),
        Example(
            "feedback", at: "x-feedback[1]", error: true, "",
            more: #", "x-feedback": [{"key": "a"}, {"key": "a", "title": "A"}]"#),
        Example("range", at: "b: n", "", more: #", "x-extensions": {"b": {"properties": {"n": {"type": "integer"}}}}"#),
    ]

    @Test(arguments: examples) func whatIsMissingOrWrongIsTold(example: Example) throws {
        let specification = try Fixture.specification(keys: example.keys, more: example.more)
        let found = specification.lint().filter { $0.rule == example.rule && $0.path == example.path }
        #expect(found.count == 1, "\(specification.lint().map(\.description))")
        #expect(found.first?.severity == (example.isError ? .error : .warning))
    }

    @Test func aWholeSpecificationHasNothingToBeSaidOf() throws {
        let told = try Fixture.specification().lint().map(\.description)
        #expect(told.isEmpty, "\(told)")
    }
}
