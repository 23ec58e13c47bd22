import Foundation
import InputBounds
import TestInputs
import Testing

struct JSONTests {
    private static let attacks: [Refused] = [
        Refused(Attacks.nestedJSON(65, objects: false), "the JSON document nests too deeply"),
        Refused(Attacks.nestedJSON(100_000, objects: false), "the JSON document nests too deeply"),
        Refused(Attacks.nestedJSON(100_000, objects: true), "the JSON document nests too deeply"),
        Refused(Data(), "the JSON document is cut short"),
        Refused(Data("[1".utf8), "the JSON document is cut short"),
        Refused(Data("\"abc".utf8), "the JSON document is cut short"),
        Refused(Data([0xFF, 0xFE, 0x5B, 0x00]), "the JSON document is UTF-16; save it as UTF-8"),
        Refused(Data("[1,]".utf8), "a comma stands before the end of an object or a list; take it out"),
        Refused(Data("[,]".utf8), "the JSON document is malformed"),
        Refused(
            Data("{\"a\":1,}".utf8), "a comma stands before the end of an object or a list; take it out"),
        Refused(Data("[1, // one\n2]".utf8), "JSON has no comments; take them out"),
        Refused(Data("{\"a\": 1 /* one */}".utf8), "JSON has no comments; take them out"),
        Refused(Data("{'a': 1}".utf8), "a key of the JSON document is no string"),
        Refused(Data("['a']".utf8), "a JSON string stands between double quotes"),
        Refused(Data("{1:1}".utf8), "a key of the JSON document is no string"),
        Refused(Data("{\"a\" 1}".utf8), "a key of the JSON document has no value"),
        Refused(Data("[1 2]".utf8), "the JSON document has a comma or an end in the wrong place"),
        Refused(Data("[1}".utf8), "the JSON document has a comma or an end in the wrong place"),
        Refused(Data("[] []".utf8), "something follows the JSON document"),
        Refused(Data("tru".utf8), "the JSON document is malformed"),
        Refused(Data("NaN".utf8), "the JSON document is malformed"),
        Refused(Data("01".utf8), "a JSON number begins with a zero"),
        Refused(Data("1.".utf8), "a JSON number is malformed"),
        Refused(Data("1e".utf8), "a JSON number is malformed"),
        Refused(Data("1e999".utf8), "a JSON number is out of range"),
        Refused(Data(String(repeating: "9", count: 1 << 20).utf8), "a JSON number has too many digits"),
        Refused(Data("\"\u{1}\"".utf8), "a JSON string holds a control character"),
        Refused(Data(#""\x""#.utf8), "a JSON string holds an unknown escape"),
        Refused(Data(#""a\u0000""#.utf8), "a JSON string holds a NUL"),
        Refused(Data(#""\ud800""#.utf8), "a JSON string holds half a surrogate pair"),
        Refused(Data(#""\udc00""#.utf8), "a JSON string holds half a surrogate pair"),
        Refused(Data(#""\ud800\u0041""#.utf8), "a JSON string holds half a surrogate pair"),
    ]

    @Test(arguments: attacks) func refusesEachAttackByItsRule(attack: Refused) {
        let limits = InputLimits(bytes: 4_000_000, objects: 100_000)
        #expect(throws: InputRefusal(rule: attack.rule)) { try JSONScan.check(attack.input, limits: limits) }
        #expect(throws: InputRefusal(rule: attack.rule)) { try JSONValue(parsing: attack.input, limits: limits) }
    }

    /// Red where a file of PowerShell is of no known format; in a message a mark stays a fault.
    @Test func aByteOrderMarkIsPassedOverInWhatPeopleWrite() throws {
        let text = Data("\u{FEFF}{\"days\": 7}".utf8)
        #expect(try JSONValue(parsing: text, limits: .configuration) == .object(["days": .integer(7)]))
        #expect(throws: InputRefusal("the JSON document is malformed")) { try JSONScan.check(text, limits: .message) }
    }

    /// Red where one of 4,400 lines is wrong and nothing says which.
    @Test(arguments: [
        ("{\n  \"a\": {\"b\": [1, {\"c\": 01}]}\n}", "line 2, column 24, at a.b[1].c"),
        ("\u{FEFF}[\n1,\n2,\n]", "line 3, column 2, at [2]"), ("{\"é\": \"x\n\"}", "line 1, column 9, at é"),
        ("{\"a\": 1,\n \"a\": 2}", "line 2, column 2, at a"), ("[1,\n", "line 1, column 3, at [1]"),
        ("{\"a\": {}\n \"b\": 1}", "line 2, column 2"),
    ])
    func aRefusalNamesThePlace(text: String, place: String) {
        let refusal = #expect(throws: InputRefusal.self) {
            try JSONValue(parsing: Data(text.utf8), limits: .configuration)
        }
        #expect(refusal?.place?.description == place)
        #expect(refusal?.sentence == refusal.map { "\(place): \($0.rule)" })
        #expect(refusal.map { "\($0)".contains("line") } == false)
    }

    @Test func countsValuesAndKeys() {
        let limits = InputLimits(bytes: 1000, objects: 5)
        #expect(throws: Never.self) { try JSONScan.check(Data(#"{"a":1,"b":2}"#.utf8), limits: limits) }
        #expect(throws: InputRefusal.self) { try JSONScan.check(Data(#"{"a":1,"b":2,"c":3}"#.utf8), limits: limits) }
    }

    @Test func readsEveryType() throws {
        let text =
            #" {"n":null,"t":true,"f":false,"i":-9223372036854775808,"r":1.5e3,"big":9223372036854775808,"#
            + #""s":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é","a":[[],{}]} "#
        #expect(
            try JSONValue(parsing: Data(text.utf8), limits: .message)
                == .object([
                    "n": .null, "t": .boolean(true), "f": .boolean(false), "i": .integer(.min), "r": .real(1500),
                    "big": .real(9_223_372_036_854_775_808), "s": .string("a\"\\/\u{8}\u{C}\n\r\té😀é"),
                    "a": .array([.array([]), .object([:])]),
                ]))
    }

    @Test func refusesAKeyThatComesTwice() {
        #expect(throws: InputRefusal(rule: "a JSON object holds the same key twice")) {
            try JSONValue(parsing: Data(#"{"a":1,"\u0061":2}"#.utf8), limits: .message)
        }
    }

    @Test func writesSortedKeysAndBareSlashes() {
        let value = JSONValue.object(["b/c": .string("https://x\n\u{1}"), "a": .array([.integer(1), .real(1), .null])])
        #expect(String(decoding: value.encoded(), as: UTF8.self) == #"{"a":[1,1.0,null],"b/c":"https://x\n\u0001"}"#)
        #expect(String(decoding: JSONValue.real(.nan).encoded(), as: UTF8.self) == "null")
    }

    @Test(arguments: 0..<200) func anyValueSurvivesItsEncoding(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        guard let value = try? JSONValue(propertyList: .random(depth: 4, using: &random)) else { return }
        #expect(try JSONValue(parsing: value.encoded(), limits: .message) == value)
        #expect(try Agreement.json(JSONDecoder().decode(JSONValue.self, from: value.encoded()), value))
    }
}
