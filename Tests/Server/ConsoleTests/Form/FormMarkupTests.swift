import AppSpecification
import Foundation
import InputBounds
import Testing

@testable import Console

/// What a form is to those who hear it or use the keyboard alone.
@Suite("Markup of a configuration's form")
struct FormMarkupTests {
    @Test("names each field once, and what describes it is there", arguments: 0..<100)
    func references(_ seed: UInt64) throws {
        var random = RandomConfiguration(seed: seed)
        let document = random.specification()
        let key = try AppSpecification(document).configuration
        let draft = FormDraft(random.value(of: document), as: key)
        let outline = FormOutline(draft, as: key)
        let place = outline.place(of: "typed a.b.c")
        let page = FormPage(draft, as: key, errors: [FormError(place: place, message: "wrong")]).fields.text
        let ids = page.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        #expect(page.contains("wrong"))
        for match in page.matches(of: /<label for="([^"]*)"/) { #expect(ids.contains(String(match.1))) }
        for match in page.matches(of: /aria-describedby="([^"]*)"/) {
            for id in match.1.split(separator: " ") { #expect(ids.contains(String(id))) }
        }
        let fields = page.matches(of: /<(?:input type="(?:text|password)"|textarea|select) id="([^"]*)"/)
        for field in fields { #expect(page.contains("<label for=\"\(field.1)\">")) }
        for match in page.matches(of: /formaction="#([^"]*)"/) { #expect(ids.contains(String(match.1))) }
    }

    @Test("leads from the server's finding to the key, or to the nearest that holds it")
    func outline() throws {
        let key = try FormRoundTripTests.key(
            """
            {"type": "object", "properties": {"servers": {"type": "array", "items": {"type": "object",
              "properties": {"port": {"type": "integer"}}}}, "a.b": {"type": "string"}}}
            """)
        let draft = FormDraft(
            .dictionary(["servers": .array([.dictionary(["port": .integer(1), "x": .integer(2)])])]), as: key)
        let outline = FormOutline(draft, as: key)
        #expect(outline.place(of: "servers[0].port").text == "/.servers/#0/.port")
        #expect(outline.place(of: "servers[0].x").text == "/.servers/#0/*0")
        #expect(outline.place(of: "servers[0].y.z").text == "/.servers/#0")
        #expect(outline.place(of: "servers[7]").text == "/.servers")
        #expect(outline.place(of: "\"a.b\"").text == "/.a.b")
        #expect(outline.place(of: "elsewhere").text == "")
        #expect(outline.path(of: FormPlace([.key("servers"), .item(0)])) == "servers[0]")
    }

    @Test("says what has to hold between keys, by the names that people see")
    func conditions() throws {
        let key = try FormRoundTripTests.key(
            """
            {"type": "object", "properties": {
              "mode": {"type": "string", "title": "Mode", "enum": ["a", "b"], "x-enum-titles": ["Alone", "Both"]},
              "peer": {"type": "string", "title": "Peer"}, "port": {"type": "integer"}},
             "allOf": [{"if": {"required": ["mode"], "properties": {"mode": {"const": "b"}}},
                        "then": {"required": ["peer"], "properties": {"port": {"minimum": 1024}}}}]}
            """)
        #expect(KeyHelp.conditions(of: key) == ["When Mode is Both, Peer must be set and port must be at least 1024."])
    }

    @Test("a QR code has its three corners, and another text is another picture")
    func picture() throws {
        let code = try #require(QRCode("https://localhost:8443/enroll/ABCD-EFGH"))
        #expect(code.width >= 21 && code.isDark.count == code.width * code.width)
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        for (row, column) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
            for (offset, line) in finder.enumerated() {
                let start = (row + offset) * code.width + column
                #expect(code.isDark[start..<start + 7].map { $0 ? "1" : "0" }.joined() == line)
            }
        }
        #expect(QRCode("https://localhost:8443/enroll/ABCD-EFGI") != code)
        #expect(QRCode(String(repeating: "x", count: 1_001)) == nil)
        #expect(code.svg(named: "a \"b\"").text.contains("aria-label=\"a &quot;b&quot;\""))
    }
}
