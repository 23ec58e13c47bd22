import AppSpecification
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// S4-SPEC-06: what administrators read.
struct SpecificationPageTests {
    @Test func thePageNamesEveryKeySecretAndError() throws {
        let page = try Fixture.specification().markdown()
        for text in [
            "# Field Notes", "| `serverURL` | text, required |", "5 to 120", "`15`", "staff (Staff), lead (Team lead)",
            "Deprecated since 2.0: use syncMinutes.", "| `teams\\[\\].name`",
            "| `account` | password, required | Signing in. |",
            "| `authority.…`", "| `100` | badServer: The server's address is not https. | Correct serverURL. |",
            "## Extension com.example.fieldnotes.widget", "<key>serverURL</key>", "Runs on iOS 18.0 or newer",
        ] {
            #expect(page.contains(text.replacing("\\[\\]", with: "[]")), "\(text)")
        }
    }

    /// What a developer wrote is text on the page, and nothing else.
    @Test func noTextOfASpecificationBecomesMarkup() throws {
        let nasty = "<script>alert(1)</script> [x](javascript:y) | ` & \\"
        let escaped = String(decoding: try JSONEncoder().encode(nasty), as: UTF8.self)
        let specification = try Fixture.specification(
            #"{"x-app": {"bundleIdentifier": "a"}, "title": \#(escaped), "description": \#(escaped), "properties": {\#(escaped): {"title": \#(escaped), "default": \#(escaped), "enum": [\#(escaped)]}}, "x-errors": [{"code": 1, "meaning": \#(escaped)}]}"#
        )
        let html = specification.html()
        #expect(!html.contains("<script"))
        let markdown = specification.markdown()
        let spans = try NSRegularExpression(pattern: "(?<!`)(`+)(?!`).+?(?<!`)\\1(?!`)")
        let outside = spans.stringByReplacingMatches(
            in: markdown, range: NSRange(markdown.startIndex..., in: markdown), withTemplate: "")
        #expect(!outside.replacing("\\<", with: "").contains("<"))
        // Each row has as many cells as the head.
        for line in markdown.split(separator: "\n") where line.hasPrefix("| ") {
            let bars = line.replacing("\\|", with: "").filter { $0 == "|" }.count
            #expect(bars == 6 || bars == 4, "\(line)")
        }
    }

    @Test func theHTMLIsWellFormedAndFetchesNothing() throws {
        let html = try Fixture.specification().html()
        let parser = XMLParser(
            data: Data(
                html.replacing("<!doctype html>\n", with: "").replacing(#"<meta charset="utf-8">"#, with: "").replacing(
                    #"<meta name="viewport" content="width=device-width">"#, with: ""
                ).utf8))
        #expect(parser.parse())
        for word in ["src=", "href=", "url(", "@import"] { #expect(!html.contains(word)) }
    }
}
