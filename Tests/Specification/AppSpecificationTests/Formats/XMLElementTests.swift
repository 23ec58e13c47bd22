import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

struct XMLElementTests {
    private static let limits = InputLimits(bytes: 4_096, depth: 4, objects: 64)

    private func read(_ text: String) throws -> XMLElement {
        try XMLElement(parsing: Data(text.utf8), limits: Self.limits)
    }

    @Test func elementsAttributesAndCharactersAreRead() throws {
        let text = """
            \u{FEFF}<?xml version='1.0' encoding='utf-8'?>\r
            <!-- a remark --><?target?>
            <a:root one = 'x &lt;&quot;' two="l1\r\nl2\tl3&#10;"><in/>t&amp;\r\nu<![CDATA[<&\r>]]><in>\u{E9}&#x1F426;</in ></a:root>
            <!-- the end -->
            """
        let root = try read(text)
        #expect(root.name == "a:root")
        #expect(root.attributes == ["one": "x <\"", "two": "l1  l2 l3\n"])
        #expect(root.text == "t&\nu<&\n>")
        #expect(root.children.map(\.text) == ["", "\u{E9}\u{1F426}"])
    }

    @Test(arguments: [
        ("<!DOCTYPE a><a/>", "document type"), ("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "document type"),
        ("<a><!DOCTYPE b></a>", "document type"), ("<a>&x;</a>", "five entities"), ("<a x='&nbsp;'/>", "five entities"),
        ("<a>&#0;</a>", "numeric"), ("<a>&#xD800;</a>", "numeric"), ("<a>&#x110000;</a>", "numeric"),
        ("<a>&#-1;</a>", "numeric"), ("<a>&#1</a>", "five entities"), ("<a>\u{1}</a>", "control characters"),
        ("<a x='\u{1}'/>", "control characters"), ("<a><b><c><d><e/></d></c></b></a>", "deeply"),
        ("<a>" + String(repeating: "<b/>", count: 64) + "</a>", "too much"),
        ("<a " + (0..<64).map { "x\($0)=''" }.joined(separator: " ") + "/>", "too much"),
        ("<a>" + String(repeating: "<![CDATA[x]]>", count: 64) + "</a>", "too much"),
        ("<a>" + String(repeating: "x", count: 4_096) + "</a>", "larger"), ("<a x='1' x='2'/>", "twice"),
        ("<a x/>", "no value"), ("<a x=1/>", "quotes"), ("<a x='<'/>", "tag"), ("<ax='1'", "malformed"),
        ("<a", "malformed"),
        ("<a>", "cut short"), ("<a><b></a>", "not begun"), ("</a>", "not begun"), ("<a/><b/>", "follows"),
        ("<a/>x", "outside"),
        ("x<a/>", "outside"), ("", "cut short"), ("<a><!-- </a>", "cut short"), ("<a><![CDATA[</a>", "cut short"),
        ("<1/>", "name"), ("<a x='1'y='2'/>", "malformed"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "UTF-8"),
    ])
    func whatIsNoSmallAndPlainXMLIsRefused(text: String, rule: String) throws {
        let refusal = #expect(throws: InputRefusal.self) { try read(text) }
        #expect(try #require(refusal).rule.contains(rule), "\(text.prefix(40)): \(String(describing: refusal))")
    }

    @Test func octetsThatAreNoUTF8AreRefused() {
        #expect(throws: InputRefusal("the XML document is not UTF-8")) {
            try XMLElement(parsing: Data([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]), limits: Self.limits)
        }
    }

    @Test func entityBombsAreRefusedBeforeTheyGrow() {
        for bomb in [Attacks.entityBomb, Attacks.externalEntity] {
            #expect(throws: InputRefusal.self) {
                try XMLElement(parsing: bomb, limits: InputLimits(bytes: 1_048_576, objects: 100))
            }
        }
    }

    /// Reading takes time in proportion to what is read: half a million bytes are no matter of seconds.
    @Test(.timeLimit(.minutes(10)))
    func largeDocumentsAreReadInTimeInProportion() throws {
        let text = "<a>" + String(repeating: "<b c='d'>&amp;e</b>\n", count: 100_000) + "</a>"
        let limits = InputLimits(bytes: 4_194_304, objects: 1_000_000)
        #expect(try XMLElement(parsing: Data(text.utf8), limits: limits).children.count == 100_000)
    }
}
