import Foundation
import InputBounds
import TestInputs
import Testing

/// JSON documents of devices: the structure is sound or the document is refused, and each odd value has one reading.
struct LenientJSONTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: JSONValue
        let oddities: [String]

        /// The value of one member.
        init(_ text: String, _ value: JSONValue, _ rule: String? = nil) {
            testDescription = text
            self.value = .object(["a": value])
            oddities = rule.map { ["a: \($0)"] } ?? []
        }
    }

    private static let limits = InputLimits(bytes: 100_000, depth: 8, objects: 1_000)
    private static let number = "a JSON number is malformed or out of range"
    private static let half = "a JSON string holds half a surrogate pair"

    private static let cases: [Case] = [
        Case("1e999", .string("1e999"), number), Case("NaN", .string("NaN"), number),
        Case("-Infinity", .string("-Infinity"), number), Case("1.2.3", .string("1.2.3"), number),
        Case("012", .integer(12)), Case("18446744073709551616", .real(18_446_744_073_709_551_616.0)),
        Case(String(repeating: "1", count: 70) + "e-69", .real(1.111_111_111_111_111_1)),
        Case("\"\\ud800\"", .string("\u{FFFD}"), half), Case("\"\\udc00x\"", .string("\u{FFFD}x"), half),
        Case("\"\\ud83d\\ude00\"", .string("\u{1F600}")),
        Case("\"\\u0000\"", .string("\u{FFFD}"), "a JSON string holds a NUL"),
        Case("\"\u{0}\"", .string("\u{FFFD}"), "a JSON string holds a NUL"),
        Case("\"a\tb\"", .string("a\tb"), "a JSON string holds a control character"),
        Case("\"\\q\"", .string("q"), "a JSON string holds an unknown escape"),
        Case("[[[[[[[[1]]]]]]]]", sevenArrays, nil),
    ]

    private static let sevenArrays: JSONValue = (1..<7).reduce(.array([])) { inner, _ in .array([inner]) }

    @Test(arguments: cases)
    func readsEachOddityInOneWay(example: Case) throws {
        let data = Data("{\"a\":\(example.testDescription)}".utf8)
        let reading = try JSONValue.reading(data, limits: Self.limits)
        #expect(reading.value == example.value)
        let tooDeep = example.testDescription.hasPrefix("[")
        let expected = tooDeep ? ["a[0][0][0][0][0][0][0]: the JSON document nests too deeply"] : example.oddities
        #expect(reading.oddities.first.map { "\($0.place): \($0.rule)" } == expected)
    }

    @Test func ofAKeyThatComesTwiceTheLastValueCounts() throws {
        let reading = try JSONValue.reading(Data(#"{"a":[{"b":1,"b":2}]}"#.utf8), limits: Self.limits)
        #expect(reading.value == .object(["a": .array([.object(["b": .integer(2)])])]))
        #expect(reading.oddities.first.map(\.place) == ["a[0].b"])
    }

    @Test(arguments: ["\u{FEFF}{\"a\":1}", "{\"a\":1}\u{0}", " {\"a\" : 1 } \n"])
    func readsADocumentWithMarksAroundIt(text: String) throws {
        let reading = try JSONValue.reading(Data(text.utf8), limits: Self.limits)
        #expect(reading.value == .object(["a": .integer(1)]) && reading.oddities.isEmpty)
    }

    @Test func repairsWhatIsNotUTF8() throws {
        let data = Data(#"{"a":""#.utf8) + [0xFF] + Data(#""}"#.utf8)
        let reading = try JSONValue.reading(data, limits: Self.limits)
        #expect(reading.value == .object(["a": .string("\u{FFFD}")]) && reading.oddities.count == 1)
    }

    @Test(arguments: [
        "", "{", "[", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "[1,]", "[,1]", "{a:1}", "[1]x",
        "[foo]", "\"a", "\"\\", "\"\\u12", "tru", "[1 2]", "{\"a\" 1}", "[e]", "\u{0}",
    ])
    func refusesADocumentWhoseStructureIsNotSound(text: String) {
        #expect(throws: InputRefusal.self) { try JSONValue.reading(Data(text.utf8), limits: Self.limits) }
    }

    @Test func theAttacksStayWithinTheBounds() {
        for (name, attack) in Attacks.jsonDocuments {
            guard let value = try? JSONValue.reading(attack, limits: .statusReport).value else { continue }
            #expect((try? JSONScan.check(value.encoded(), limits: .statusReport)) != nil, "\(name)")
        }
        let many = Data(("[" + String(repeating: "0,", count: 2_000) + "1e999]").utf8)
        #expect(throws: InputRefusal("the JSON document holds too many values")) {
            try JSONValue.reading(many, limits: Self.limits)
        }
    }
}
