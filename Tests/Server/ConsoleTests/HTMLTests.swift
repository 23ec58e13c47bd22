import Console
import Testing

/// Text that is filled into markup stays text, whatever it says.
@Suite("Markup")
struct HTMLTests {
    @Test("what is filled in is escaped, in text and in attributes")
    func escapes() {
        let hostile = #"<script>alert("1")</script>&'"#
        let page: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"
        #expect(page.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test("markup is put into markup as it is")
    func nests() {
        let items: [HTML] = ["a & b", "c"].map { "<li>\($0)</li>" }
        let none: HTML? = nil
        let list: HTML = "<ul>\(items)\(none)</ul> \(3)"
        #expect(list.text == "<ul><li>a &amp; b</li><li>c</li></ul> 3")
    }

    @Test("no text of ASCII writes a mark", arguments: [UInt8](0...127))
    func neverAMark(_ byte: UInt8) {
        let filled: HTML = "\(String(UnicodeScalar(byte)))"
        #expect(!filled.text.contains { "<>\"'".contains($0) })
        #expect(!filled.text.unicodeScalars.contains { $0.value < 32 && !"\t\n\r".unicodeScalars.contains($0) })
    }
}
