import Console
import TestInputs
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

    /// Red where `HTML.escape` walks characters, as the page for people who enroll did with an escaping of its own.
    ///
    /// A quotation mark with U+0301 behind it stayed as it was, and what followed stood in the tag.
    @Test("no mark gets through with a scalar behind it that joins it", arguments: JoiningScalars.marks)
    func neverAJoinedMark(_ mark: Unicode.Scalar) {
        #expect(JoiningScalars.all.count > 2_000)
        let harmless = Self.marks(around: "a")
        let through = JoiningScalars.all.filter { Self.marks(around: JoiningScalars.text(mark, $0)) != harmless }
        #expect(through.isEmpty, "\(through.prefix(8).map { String($0.value, radix: 16) })")
    }

    /// What ends a text or a value on a page with this text, for whoever reads bytes.
    private static func marks(around text: String) -> [UInt8] {
        let page: HTML = "<p title=\"\(text)\">\(text)</p>"
        return Array(page.text.utf8).filter { "<>\"'".utf8.contains($0) }
    }
}
