import AdminMessages
import Foundation
import Testing

struct JSONTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-9223372036854775808", "9223372036854775807", "18446744073709551615", "1.5",
        #""a/b \"c\" é""#, "[]", "{}", #"[1,"x",[null]]"#, #"{"a":{"b":[true]},"c":1}"#,
    ])
    func survivesARoundTrip(text: String) throws {
        let value = try AdminJSON.decode(JSON.self, from: Data(text.utf8))
        #expect(String(decoding: try AdminJSON.encode(value), as: UTF8.self) == text)
    }

    @Test func keepsLargeWholeNumbersExact() throws {
        let value = try AdminJSON.decode(JSON.self, from: Data("[9007199254740993,9223372036854775808]".utf8))
        #expect(value == .array([.integer(9_007_199_254_740_993), .unsigned(9_223_372_036_854_775_808)]))
    }

    @Test func tellsBooleansFromNumbers() throws {
        let value = try AdminJSON.decode(JSON.self, from: Data("[true,1,0,false]".utf8))
        #expect(value == .array([.boolean(true), .integer(1), .integer(0), .boolean(false)]))
    }

    @Test func readsMembersTextAndNumbers() throws {
        let value = try AdminJSON.decode(JSON.self, from: Data(#"{"Code":100,"KeyPath":"a.b"}"#.utf8))
        #expect(value["Code"]?.number == 100)
        #expect(value["KeyPath"]?.text == "a.b")
        #expect(value["Code"]?.text == nil)
        #expect(value["missing"] == nil)
    }
}
