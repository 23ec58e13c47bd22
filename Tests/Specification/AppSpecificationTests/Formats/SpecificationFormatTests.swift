import AppSpecification
import Foundation
import InputBounds
import Testing

struct SpecificationFormatTests {
    private func key(_ type: SpecifiedType) throws -> AppSpecification {
        var root = SpecifiedKey("", .dictionary)
        root.keys = [SpecifiedKey("a", type)]
        return try AppSpecification(app: SpecifiedApp(bundleIdentifier: "com.example.app"), configuration: root)
    }

    @Test(
        arguments: [
            ("", nil), ("text", nil), ("{}", nil), ("[]", nil), (#"{"a": 1}"#, nil), ("<html/>", nil), ("<a", nil),
            (#"{"type": "object"}"#, .jsonSchema), (#"{"$schema": "x"}"#, .jsonSchema),
            (#"{"properties": {"a": {"type": "string"}}}"#, .jsonSchema),
            (#"{"x-app": {}, "properties": {"a": {"property_order": 1}}}"#, .jsonSchema),
            (#"{"properties": {"a": {"property_order": 1}}}"#, .jamf), (#"{"__preferencedomain": "x"}"#, .jamf),
            ("\n<!-- x --><managedAppConfiguration/>", .appConfigXML), ("<restrictions/>", .android),
            ("<plist version=\"1.0\"><dict/></plist>", .profileManifest), ("<dict/>", .profileManifest),
            ("\u{FEFF}{\"properties\": {}}", .jsonSchema), (#"{"a": 1,}"#, .jsonSchema), ("<plist", .profileManifest),
            ("<?xml version=\"1.0\"?><!DOCTYPE plist><plist>", .profileManifest), ("<restrictions", .android),
            ("<!-- <plist> --><x:managedAppConfiguration", .appConfigXML), ("<!-- <plist>", nil),
            ("<?xml <plist>", nil),
        ] as [(String, SpecificationFormat?)])
    func aFormatIsDetectedByWhatTheDocumentHolds(text: String, format: SpecificationFormat?) {
        #expect(SpecificationFormat.detected(in: Data(text.utf8)) == format)
    }

    @Test func aDocumentOfNoKnownFormatIsRefused() {
        let refusal = #expect(throws: SpecificationRefusal.self) { try SpecificationFormat.read(Data("text".utf8)) }
        #expect(refusal?.rule.hasPrefix("is of no format that is known here: JSON Schema, AppConfig XML") == true)
    }

    @Test(arguments: [
        "<restrictions/>", "<managedAppConfiguration><version>1</version><dict/></managedAppConfiguration>",
        "<plist><dict><key>pfm_subkeys</key><array/></dict></plist>", #"{"properties": {}}"#,
        #"{"properties": {}, "title": "X"}"#,
    ])
    func whatNamesNoAppIsReadOnlyWithABundleIdentifier(text: String) throws {
        let refusal = #expect(throws: SpecificationRefusal.self) { try SpecificationFormat.read(Data(text.utf8)) }
        #expect(try #require(refusal).place == "/x-app/bundleIdentifier")
        let read = try SpecificationFormat.read(Data(text.utf8), bundleIdentifier: "com.example.app")
        #expect(read.value.app.bundleIdentifier == "com.example.app")
    }

    @Test(arguments: [
        #"{"x-app": {"bundleIdentifier": "com.example.own"}}"#, #"{"__preferencedomain": "com.example.own"}"#,
        "<managedAppConfiguration><version>1</version><bundleId>com.example.own</bundleId><dict/></managedAppConfiguration>",
        "<plist><dict><key>pfm_domain</key><string>com.example.own</string><key>pfm_subkeys</key><array/></dict></plist>",
    ])
    func theBundleIdentifierThatIsAskedForIsTakenWithAWarning(text: String) throws {
        #expect(try SpecificationFormat.read(Data(text.utf8)).value.app.bundleIdentifier == "com.example.own")
        let read = try SpecificationFormat.read(Data(text.utf8), bundleIdentifier: "com.example.app")
        #expect(read.value.app.bundleIdentifier == "com.example.app")
        #expect(read.warnings.contains { $0.explanation == "another bundle identifier was asked for, and is taken" })
    }

    @Test func ourOwnFormIsReadAndWrittenAsItIs() throws {
        let specification = try AppSpecification(parsing: Golden.data("written/everything.json"))
        let written = try SpecificationFormat.write(specification, as: .jsonSchema)
        #expect(written.value == specification.canonical())
        #expect(written.notes.isEmpty)
        let read = try SpecificationFormat.read(written.value)
        #expect(read.value.document == specification.document)
        #expect(read.notes.isEmpty)
    }

    @Test func aFormatThatWantsAKeyRefusesToBeWrittenWithoutOne() throws {
        #expect(throws: SpecificationRefusal.self) { try SpecificationFormat.write(key(.data), as: .appConfigXML) }
        #expect(throws: SpecificationRefusal.self) { try SpecificationFormat.write(key(.dictionary), as: .android) }
    }

    /// Two hyphens end a remark for other readers of XML.
    @Test func listedValuesThatHoldHyphensStayInsideTheRemark() throws {
        var root = SpecifiedKey("", .dictionary)
        var key = SpecifiedKey("a", .string)
        key.choices = [SpecifiedChoice(value: .string("x--y")), SpecifiedChoice(value: .string("-->"))]
        root.keys = [key]
        let specification = try AppSpecification(
            app: SpecifiedApp(bundleIdentifier: "com.example.app"), configuration: root)
        let text = try String(decoding: SpecificationFormat.write(specification, as: .android).value, as: UTF8.self)
        let remark = try #require(text.firstRange(of: "<!--"))
        #expect(text[remark.upperBound...].ranges(of: "--").count == 1)
        #expect(text.contains("<item>x-&#45;y</item>"))
    }

    @Test func annotationsThatNothingHoldsAreListed() throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "a.b"}, "properties": {"a": {"type": "string", "contentEncoding": "base32",
             "contentMediaType": "text/plain", "readOnly": true, "x-own": 1, "x-ui": {"group": "G", "widget": "w"}}}}
            """#
        let written = try SpecificationFormat.write(AppSpecification(parsing: Data(text.utf8)), as: .appConfigXML)
        #expect(
            written.losses.map(\.keyword) == [
                "contentEncoding", "contentMediaType", "readOnly", "x-own", "x-ui.widget",
            ])
    }

    @Test func aNoteTellsWhereWhatAndWhy() throws {
        let written = try SpecificationFormat.write(key(.real), as: .android)
        #expect(
            written.losses.map(\.description) == [
                "loss: the document: x-app.bundleIdentifier: Android's restrictions name no app",
                "loss: a: type: Android's restrictions have no such type; it is a text there",
            ])
        #expect(
            written.warnings.map(\.description) == [
                "warning: a: title: Android's restrictions want one; it is the key's name"
            ])
        let path: SpecifiedPath = [.key("a.b"), .item, .key("c")]
        #expect(path.description == "\"a.b\"[].c")
        #expect((path + .value).description == "\"a.b\"[].c.*")
    }

    /// Who adds a field to keys must say in `SpecifiedFacet` how formats lose it, and in `RandomKeys` that it is tried.
    ///
    /// Conditions are lost with `allOf`, which is among `others`.
    @Test func everythingThatIsSaidOfAKeyIsKnownToTheFormats() {
        let fields = Mirror(reflecting: SpecifiedKey("", .any)).children.compactMap(\.label)
        #expect(
            fields == [
                "name", "type", "title", "description", "isRequired", "defaultValue", "examples", "choices", "bounds",
                "deprecation",
                "since", "order", "group", "isHidden", "isSensitive", "variable", "translations", "keys", "isOpen",
                "item", "values", "conditions", "others",
                "annotations",
            ])
        #expect(Mirror(reflecting: SpecifiedBounds()).children.count == 18)
    }
}
