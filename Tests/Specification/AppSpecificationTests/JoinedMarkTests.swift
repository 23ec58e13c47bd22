import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

/// What specifications are written into is read by scalars or bytes: what Swift takes for one character is two there.
struct JoinedMarkTests {
    private static let joining: [Unicode.Scalar] = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20DD}"]

    private func specification(_ keys: [String: JSONValue], title: String = "x") throws -> AppSpecification {
        try AppSpecification(
            .object([
                "x-app": .object(["bundleIdentifier": .string("com.example.a")]), "type": .string("object"),
                "title": .string(title), "properties": .object(keys),
            ]))
    }

    /// Was red: `<` with U+301 behind it stood on the page as it was.
    @Test(arguments: joining)
    func aPageHasNoMarkupOfAText(scalar: Unicode.Scalar) throws {
        func page(_ text: String) throws -> AppSpecification {
            try specification(["key": .object(["type": .string("string"), "default": .string(text)])], title: text)
        }
        func marks(_ text: String) throws -> [UInt8] {
            Array(try page(text).html().utf8).filter { "<>".utf8.contains($0) }
        }
        let nasty = JoiningScalars.text("a", "<", scalar, ">", scalar, "|", scalar, "&", scalar)
        #expect(try marks(nasty) == marks("plain"))
        let markdown = try page(nasty).markdown()
        let title = "# " + JoiningScalars.text("a", "\\", "<", scalar, "\\", ">", scalar, "\\", "|", scalar, "\\", "&")
        #expect(markdown.utf8.starts(with: title.utf8), "\(markdown)")
        // In a cell of code a bar alone would end the cell.
        let cell = JoiningScalars.text(">", scalar, "\\", "|", scalar, "&")
        #expect(markdown.utf8.contains(cell.utf8), "\(markdown)")
    }

    /// Was red: an `@` with U+301 behind it made a reference of a title, a line feed behind a carriage return was lost,
    /// quotation marks stayed bare in the lists, and a hyphen with U+301 ended the comment around them for readers of
    /// XML.
    @Test(arguments: joining)
    func androidsFileReadsBackAsItWasWritten(scalar: Unicode.Scalar) throws {
        let title = JoiningScalars.text("@", scalar, "\\", scalar, "u")
        let description = "one\r\ntwo" + JoiningScalars.text("\\", scalar)
        let choices = [JoiningScalars.text("-", "-", scalar), JoiningScalars.text("'", scalar, "\"", scalar)]
        let specification = try specification([
            "key": .object([
                "type": .string("string"), "title": .string(title), "description": .string(description),
            ]),
            "word": .object(["type": .string("string"), "enum": .array(choices.map(JSONValue.string))]),
        ])
        let written = try SpecificationFormat.write(specification, as: .android).value
        let text = String(decoding: written, as: UTF8.self)
        #expect(text.utf8.contains(#"android:title="\@"#.utf8), "\(text)")
        let comment = try #require(text.firstMatch(of: /(?s)<!--(.*)-->/)).1
        #expect(!comment.utf8.contains("--".utf8), "\(text)")
        #expect(comment.utf8.contains((#"\'"# + JoiningScalars.text(scalar) + #"\""#).utf8), "\(text)")
        let read = try SpecificationFormat.read(written, as: .android, bundleIdentifier: "com.example.a").value
        let key = try #require(read.configuration.keys.first { $0.name == "key" })
        #expect(key.title?.utf8.elementsEqual(title.utf8) == true, "\(text)")
        #expect(key.description?.utf8.elementsEqual(description.utf8) == true, "\(text)")
    }

    /// Was red: an expression's bar, and its brackets, with a combining mark behind them were taken for letters.
    @Test func anExpressionsSignsAreScalars() {
        #expect(PatternAnchors.anchored("a|\u{301}b").utf8.elementsEqual("^(?:a|\u{301}b)$".utf8))
        #expect(PatternAnchors.anchored("[\u{301}|]\u{301}").utf8.elementsEqual("^[\u{301}|]\u{301}$".utf8))
    }

    /// Was red: a slash with a combining mark behind it did not lead into the definitions.
    @Test func aReferenceLeadsToANameWithACombiningMark() throws {
        let found = try Fixture.specification(
            keys: ##""key": {"$ref": "#/$defs/\##u{301}x"}"##,
            more: ##", "$defs": {"\##u{301}x": {"type": "integer"}}"##)
        #expect(found.configuration.keys.map(\.type) == [.integer])
    }
}
