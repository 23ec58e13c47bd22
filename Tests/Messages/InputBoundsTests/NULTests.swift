import Foundation
import InputBounds
import Testing

/// No text with a NUL comes in: SQLite's driver and other C libraries would end it there, and take two texts for one.
struct NULTests {
    private static let limits = InputLimits(bytes: 100_000, objects: 1_000)
    private static let table = CSVLimits(bytes: 100_000, rows: 100)

    @Test(arguments: [
        #""a\u0000b""#, #"{"a\u0000b":1}"#, #"["\u0000"]"#, #"{"a":{"b":["\ud83d\ude00\u0000"]}}"#, "\"a\u{0}b\"",
    ]) func aJSONDocument(text: String) {
        #expect(throws: InputRefusal.self) { try JSONScan.check(Data(text.utf8), limits: Self.limits) }
        #expect(throws: InputRefusal.self) { try JSONValue(parsing: Data(text.utf8), limits: Self.limits) }
    }

    @Test(arguments: [
        "<string>a\u{0}b</string>", "<string>a&#0;b</string>", "<string>a&#x0;b</string>",
        "<string><![CDATA[a\u{0}b]]></string>", "<dict><key>a\u{0}b</key><true/></dict>",
    ]) func anXMLPropertyList(value: String) {
        let bytes = Data("<plist version=\"1.0\">\(value)</plist>".utf8)
        #expect(throws: InputRefusal.self) { try PropertyListValue(parsing: bytes, limits: Self.limits) }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func aPropertyListOfFoundation(format: PropertyListSerialization.PropertyListFormat) throws {
        for text in ["a\u{0}b", "é\u{0}"] {
            for value in [text as Any, [text: true] as Any] {
                guard
                    let bytes = try? PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
                else { continue }
                #expect(throws: InputRefusal.self) { try PropertyListValue(parsing: bytes, limits: Self.limits) }
            }
        }
    }

    @Test(arguments: ["a,b\n1,\u{0}\n", "a,b\n1,\"x\u{0}y\"\n", "a,b\u{0}\n"]) func aTable(text: String) {
        #expect(throws: CSVRefusal.self) { try CSVTable(parsing: Data(text.utf8), limits: Self.table) }
    }

    /// Whatever is put together at random: what is taken holds no NUL.
    @Test func whateverIsTakenHoldsNone() {
        var random = SystemRandomNumberGenerator()
        let parts = [
            "\"", "{", "}", "[", "]", ":", ",", "\\u0000", "\\u0001", "\u{0}", "a", "\\\\", "\\ud83d\\ude00", "1",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            let inner = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }
            let text = ["\"", inner.joined(), "\""].joined()
            guard let value = try? JSONValue(parsing: Data(text.utf8), limits: Self.limits) else { continue }
            taken += 1
            #expect(value.string?.utf8.contains(0) != true)
        }
        #expect(taken > 100)
    }
}
