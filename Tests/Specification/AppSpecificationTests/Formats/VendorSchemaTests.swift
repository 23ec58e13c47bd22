import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import Testing

/// JSON schemas of vendors that say what they mean otherwise than the standard does.
struct VendorSchemaTests {
    private func read(_ properties: String, _ further: String = "") throws -> Converted<AppSpecification> {
        let text = #"{"title": "Notes (com.example.notes)", "properties": {"# + properties + "}" + further + "}"
        return try SpecificationFormat.read(Data(text.utf8))
    }

    private func errors(_ specification: AppSpecification, _ configuration: String) throws -> [String] {
        let value = try JSONValue(parsing: Data(configuration.utf8), limits: .configuration)
        let list = try specification.configuration.propertyList(value)
        return specification.findings(in: list).map { "\($0.path) \($0.rule)" }
    }

    private func notes(_ read: Converted<AppSpecification>) -> [String] {
        read.notes.filter { $0.keyword != "x-app.bundleIdentifier" }.map { "\($0.kind) \($0.path) \($0.keyword)" }
    }

    private static let chosen = #"""
        "tenants": {"type": "object", "required": ["{{key}}", "{{value}}"], "properties": {
          "{{key}}": {"type": "string", "property_order": 5}, "{{value}}": {"type": "boolean", "default": true}}},
        "sites": {"type": "object", "additionalProperties": false, "properties": {
          "default": {"type": "string"}, "{{ Key }}": {"type": "string", "enum": ["x"]},
          "{{value}}": {"type": "object", "required": ["mode"], "properties": {"mode": {"type": "string"}}}}},
        "headers": {"type": "array", "items": {"type": "object", "properties": {
          "{{key}}": {"type": "string"}, "{{value}}": {"type": "string"}}}},
        "free": {"type": "object", "properties": {"{{key}}": {"type": "string"}}}
        """#

    /// Red where `{{key}}` and `{{value}}` of a schema that was made of a manifest are two keys of these names.
    @Test(
        arguments: [
            (#"{"tenants": {"11111111-2222": true}}"#, []), (#"{"tenants": {}}"#, []),
            (#"{"tenants": {"a": "yes"}}"#, ["tenants.a type"]),
            (#"{"sites": {"default": "x", "a": {"mode": "y"}}}"#, []),
            (#"{"sites": {"default": 1, "a": {}}}"#, ["sites.a.mode required", "sites.default type"]),
            (#"{"headers": [{"Accept": "x"}, {"Age": 1}]}"#, ["headers[1].Age type"]),
            (#"{"free": {"a": 1, "b": [true]}}"#, []),
        ] as [(String, [String])])
    func keysThatPeopleChooseAreJudgedByTheirValues(configuration: String, found: [String]) throws {
        let specification = try read(Self.chosen).value
        #expect(try errors(specification, configuration).sorted() == found)
    }

    @Test func whatStandsForChosenKeysIsListed() throws {
        let found = try notes(read(Self.chosen))
        #expect(
            Set(found) == [
                "warning tenants additionalProperties", "warning sites additionalProperties",
                "warning headers[] additionalProperties", "warning free additionalProperties",
                "loss sites.* propertyNames",
            ])
    }

    /// Red where no value at all is allowed, because those to choose from are of another type than the key.
    @Test(
        arguments: [
            (#""a": {"type": "integer", "enum": ["1", "2"], "default": "2"}"#, "[1,2]", "warning"),
            (#""a": {"type": "boolean", "enum": ["true", "false"]}"#, "[true,false]", "warning"),
            (
                #""a": {"type": "string", "enum": [1, "x"], "options": {"enum_titles": ["I", "X"]}}"#, #"["1","x"]"#,
                "warning"
            ),
            (#""a": {"type": "integer", "enum": [1, "many", 3]}"#, "[1,3]", "loss"),
            (#""a": {"type": "number", "enum": ["little", "much"]}"#, "-", "loss"),
            (#""a": {"type": "string", "enum": []}"#, "-", "loss"),
        ] as [(String, String, String)])
    func valuesOfAnotherTypeArePutRightOrLeftOut(properties: String, values: String, kind: String) throws {
        let read = try read(properties)
        let choices = read.value.configuration["a"]?.choices.map { JSONValue.array($0.map(\.value)) }
        #expect((choices.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-") == values)
        #expect(notes(read).contains("\(kind) a enum"))
        #expect(!read.value.lint().contains { $0.severity == .error })
        let example = read.value.example()
        #expect(!read.value.findings(in: example).contains { $0.severity == .error }, "\(example)")
    }

    /// Red where a default of none of a key's types or forms is what its example holds.
    @Test(arguments: [
        #""a": {"type": ["string", "integer"], "default": true}"#,
        #""a": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": [1]}"#,
        #""a": {"oneOf": [{"type": "string", "minLength": 3}, {"type": "boolean"}], "default": "x"}"#,
        #""a": {"type": ["boolean", "integer"], "default": "x", "examples": [1, "y"]}"#,
    ])
    func aDefaultOfNoneOfSeveralTypesIsLeftOut(properties: String) throws {
        let read = try read(properties)
        #expect(read.value.configuration["a"]?.defaultValue == nil)
        #expect(notes(read).contains("loss a default"))
        let example = read.value.example()
        #expect(!read.value.findings(in: example).contains { $0.severity == .error }, "\(example)")
    }

    /// Red where the whole file is refused for a number in quotation marks.
    @Test(
        arguments: [
            (#""a": {"type": "integer", "minimum": "1", "maximum": "9"}"#, #"{"a": 0}"#, ["a minimum"]),
            (#""a": {"type": "String", "maxLength": "2"}"#, #"{"a": "xyz"}"#, ["a maxLength"]),
            (#""a": {"type": "array", "uniqueItems": "true", "minItems": "2"}"#, #"{"a": [1, 1]}"#, ["a uniqueItems"]),
            (#""a": {"type": "object", "properties": [], "title": 5}"#, #"{"a": {"b": 1}}"#, []),
            (
                #""a": {"type": "object", "required": "b", "properties": {"b": {"type": "string"}}}"#, #"{"a": {}}"#,
                ["a.b required"]
            ),
            (#""a": {"type": "string", "required": "true"}"#, "{}", ["a required"]),
        ] as [(String, String, [String])])
    func whatIsWrittenOtherwiseIsTakenForWhatIsMeant(
        properties: String, configuration: String, found: [String]
    ) throws {
        let read = try read(properties)
        #expect(try errors(read.value, configuration) == found)
        #expect(read.losses.isEmpty && !notes(read).isEmpty)
    }

    /// Red where one keyword that is none has the whole file refused.
    @Test(
        arguments: [
            (#""a": {"type": "policy"}"#, "loss a type"), (#""a": {"type": "string", "enum": "x"}"#, "loss a enum"),
            (#""a": {"type": "array", "items": {"minLength": "long"}}"#, "loss a[] minLength"),
            (#""a": "string""#, "loss a properties"),
            (#""a": {"$ref": "https://example.com/schema.json"}"#, "loss a $ref"),
            (#""a": {"anyOf": [{"type": "policy"}]}"#, "loss a type"),
        ] as [(String, String)])
    func aKeywordThatIsNoneIsLeftOutAndListed(properties: String, note: String) throws {
        let read = try read(properties + #", "b": {"type": "boolean"}"#)
        #expect(notes(read).contains(note), "\(notes(read))")
        #expect(read.value.configuration["b"]?.type == .boolean)
    }

    /// More faults than are worth it are a file's own to mend, and the first that is left is named.
    @Test func aFileOfFaultsIsRefused() {
        let faults = (0..<100).map { #""key\#($0)": {"type": "policy"}"# }.joined(separator: ",")
        let refusal = #expect(throws: SpecificationRefusal.self) { try read(faults) }
        #expect(refusal?.rule == "a type is not known")
    }

    /// Red where a backslash before a colon has a pattern left out.
    @Test(arguments: [
        (#"^file\\:\\/\\/"#, "file:///x", "http://x"), (#"^[\\w\\.\\-]+\\@x$"#, "a@x", "a x"),
        (#"^[a\\-z]\\%$"#, "-%", "b%"), (#"^a\\ b\\,c\\\\$"#, #"a b,c\\"#, "ab"),
    ])
    func aPatternThatEscapesTooMuchIsRead(pattern: String, fits: String, not other: String) throws {
        let read = try read(#""a": {"type": "string", "pattern": ""# + pattern + #""}"#)
        #expect(notes(read) == ["warning a pattern"])
        #expect(try errors(read.value, #"{"a": ""# + fits + #""}"#) == [])
        #expect(try errors(read.value, #"{"a": ""# + other + #""}"#) == ["a pattern"])
    }

    /// Red where a format that can carry no key does not say which and why.
    @Test(arguments: [
        (SpecificationFormat.appConfigXML, "a (AppConfig XML has no dictionaries in the configuration)"),
        (SpecificationFormat.android, "a (dictionaries stand in lists alone there)"),
    ])
    func aFormatThatCanCarryNothingNamesTheKeys(format: SpecificationFormat, words: String) throws {
        let specification = try read(#""a": {"type": "object", "properties": {"b": {"type": "string"}}}"#).value
        let refusal = #expect(throws: SpecificationRefusal.self) {
            try SpecificationFormat.write(specification, as: format)
        }
        #expect(refusal?.rule.contains(words) == true, "\(refusal?.rule ?? "")")
    }

    /// Red where the form in which programs write a date is left out.
    @Test(arguments: [
        "2099-01-01 00:00:00", "2099-01-01 00:00:00 +0000", "2099-01-01T00:00:00", "2099-01-01",
    ])
    func aDateIsReadAsProgramsWriteIt(text: String) throws {
        let read = try read(#""a": {"type": "date", "default": ""# + text + #""}"#)
        #expect(read.value.configuration["a"]?.defaultValue == .string("2099-01-01T00:00:00Z"))
        #expect(notes(read).contains("warning a default"))
    }
}
