import Foundation
import InputBounds
import TestInputs
import Testing

/// Property lists of devices, which cannot be told to write others: each oddity has one reading, which is said.
struct LenientPropertyListTests {
    /// A list and what is read of it: the value, and the places that are odd with their rules.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let data: Data
        let value: PropertyListValue
        let oddities: [String]

        init(_ name: String, _ data: Data, _ value: PropertyListValue, _ oddities: [String] = []) {
            (testDescription, self.data, self.value, self.oddities) = (name, data, value, oddities)
        }

        /// One value of a dictionary.
        init(xml: String, _ value: PropertyListValue, _ rule: String? = nil) {
            self.init(
                xml, Data("<plist version=\"1.0\"><dict><key>a</key>\(xml)</dict></plist>".utf8),
                .dictionary(["a": value]), rule.map { ["a: \($0)"] } ?? [])
        }
    }

    private static let limits = InputLimits(bytes: 100_000, depth: 8, objects: 1_000)

    private static let numbers: [Case] = [
        Case(xml: "<integer>0x1F</integer>", .integer(31)), Case(xml: "<integer> -0x10 </integer>", .integer(-16)),
        Case(xml: "<integer> 7\n</integer>", .integer(7)), Case(xml: "<real> 1.5 </real>", .real(1.5)),
        Case(xml: "<real>inf</real>", .real(.infinity)), Case(xml: "<real>NaN</real>", .real(.nan)),
        Case(xml: "<real>+infinity</real>", .real(.infinity)),
        Case(
            xml: "<integer>18446744073709551616</integer>", .string("18446744073709551616"),
            "an integer is malformed or exceeds 64 bits"),
        Case(xml: "<integer></integer>", .string(""), "an integer is malformed or exceeds 64 bits"),
        Case(xml: "<integer/>", .string(""), "an integer is malformed or exceeds 64 bits"),
        Case(xml: "<real>1e999</real>", .string("1e999"), "a real is malformed or out of range"),
        Case(xml: "<real>1,5</real>", .string("1,5"), "a real is malformed or out of range"),
    ]

    private static let date = "a date is not a moment written as YYYY-MM-DDThh:mm:ssZ"

    private static let others: [Case] = [
        Case(xml: "<date>2147483647-07-28T00:00:00Z</date>", .string("2147483647-07-28T00:00:00Z"), date),
        Case(xml: "<date>today</date>", .string("today"), date), Case(xml: "<date/>", .string(""), date),
        Case(xml: "<data>QUI</data>", .data(Data("AB".utf8)), "data is not Base64"),
        Case(xml: "<data>Q!U*I=</data>", .data(Data("AB".utf8)), "data is not Base64"),
        Case(xml: "<string>a<!-- b -->c<?d e?>f</string>", .string("acf")),
        Case(xml: "<string><![CDATA[<a>]]>&amp;&#x1F600;</string>", .string("<a>&\u{1F600}")),
        Case(xml: "<string xml:space=\"preserve\">a</string>", .string("a")),
        Case(xml: "<string>&nbsp;</string>", .string("&nbsp;"), "a property list knows only the five entities of XML"),
        Case(xml: "<string>&#0;</string>", .string("\u{FFFD}"), "a numeric character reference names no character"),
        Case(xml: "<string>&#xD800;</string>", .string("\u{FFFD}"), "a numeric character reference names no character"),
        Case(xml: "<string>\u{0}</string>", .string("\u{FFFD}"), "a text holds a NUL"),
        Case(xml: "<string><![CDATA[\u{0}]]></string>", .string("\u{FFFD}"), "a text holds a NUL"),
        Case(xml: "<true>yes</true>", .boolean(true)), Case(xml: "<dict/>", .dictionary([:])),
        Case(xml: "<array/>", .array([])),
    ]

    private static func list(_ text: String) -> Data { Data(text.utf8) }

    private static let twice = "a dictionary holds the same key twice: the last value counts"

    private static let deep: Data = {
        let (open, close) = (String(repeating: "<array>", count: 9), String(repeating: "</array>", count: 9))
        return Attacks.xml("<dict><key>a</key>\(open)\(close)<key>b</key><true/></dict>")
    }()

    private static let sevenArrays: PropertyListValue = (1..<7).reduce(.array([])) { inner, _ in .array([inner]) }

    private static let structures: [Case] = [
        Case(
            "a key twice", list("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>"),
            .dictionary(["a": .boolean(false)]), ["a: \(twice)"]),
        Case(
            "an empty key", list("<plist><dict><key/><true/></dict></plist>"), .dictionary(["": .boolean(true)])),
        Case(
            "a key without a value", list("<plist><dict><key>a</key><key>b</key><true/></dict></plist>"),
            .dictionary(["b": .boolean(true)]), ["a: a key has no value"]),
        Case(
            "a value without a key", list("<plist><dict><true/><key>b</key><true/></dict></plist>"),
            .dictionary(["b": .boolean(true)]), [": a value of a dictionary has no key"]),
        Case(
            "an unknown element", list("<plist><array><foo>x</foo><true/></array></plist>"),
            .array([.boolean(true)]),
            ["[0]: a property list has no such element", "[0]: text stands outside an element"]),
        Case(
            "an element that is not ended", list("<plist><dict><key>a</key><array><true/></dict></plist>"),
            .dictionary(["a": .array([.boolean(true)])]), ["a[1]: an element is not ended"]),
        Case(
            "deeper than the limit", deep, .dictionary(["a": sevenArrays, "b": .boolean(true)]),
            ["a[0][0][0][0][0][0][0]: the property list nests too deeply"]),
        Case("no plist element", list("<dict/>"), .dictionary([:])),
        Case("no DOCTYPE and a mark", Data([0xEF, 0xBB, 0xBF]) + list("<plist><true/></plist>"), .boolean(true)),
        Case(
            "entities of its own", list("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>"), .boolean(true),
            [": a property list has no document type of its own"]),
        Case("something behind it", list("<plist><true/></plist>\n\u{0}"), .boolean(true)),
    ]

    private static let encodings: [Case] = [
        Case("UTF-16, little", utf16("<plist><string>é😀</string></plist>", [0xFF, 0xFE]), .string("é😀")),
        Case("UTF-16, big", utf16("<plist><string>é😀</string></plist>", [0xFE, 0xFF]), .string("é😀")),
        Case(
            "Latin-1",
            list("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>") + Data([0xE9])
                + list("</string></plist>"), .string("é")),
        Case(
            "not UTF-8", list("<plist><string>") + Data([0xFF]) + list("</string></plist>"), .string("\u{FFFD}"),
            [": the property list is not UTF-8"]),
    ]

    private static func utf16(_ text: String, _ mark: [UInt8]) -> Data {
        let isBig = mark == [0xFE, 0xFF]
        return Data(
            mark
                + text.utf16.flatMap { unit in
                    let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                    return isBig ? [high, low] : [low, high]
                })
    }

    @Test(arguments: numbers + others + structures + encodings)
    func readsEachOddityInOneWay(example: Case) throws {
        let reading = try PropertyListValue.reading(example.data, limits: Self.limits)
        #expect(reading.value == example.value)
        #expect(reading.oddities.first.map { "\($0.place): \($0.rule)" } == example.oddities)
    }

    private static let large: [UInt8] = [0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let minusOne: [UInt8] = [0x14] + Array(repeating: 0xFF, count: 16)

    private static let binaries: [Case] = [
        Case("a reference of an archive", Attacks.binary([[0x80, 7]]), .dictionary(["CF$UID": .integer(7)])),
        Case("a set", Attacks.binary([[0xC1, 1], Attacks.x]), .array([.string("x")])),
        Case(
            "half a surrogate pair", Attacks.binary([[0x61, 0xD8, 0x00]]), .string("\u{FFFD}"),
            [": a text is not UTF-16"]),
        Case("not ASCII", Attacks.binary([[0x51, 0xFF]]), .string("\u{FFFD}"), [": a text is not ASCII as it says"]),
        Case("a NUL", Attacks.binary([[0x51, 0]]), .string("\u{FFFD}"), [": a text holds a NUL"]),
        Case(
            "an integer of 128 bits",
            Attacks.binary([large]), .string("18446744073709551616"), [": an integer exceeds 64 bits"]),
        Case(
            "a negative integer of 128 bits", Attacks.binary([minusOne]), .integer(-1)),
        Case(
            "a date that is none", Attacks.binary([[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]]), .real(.infinity),
            [": a date lies outside the years 0 to 9999"]),
        Case(
            "a key that is no text", Attacks.binary([[0xD2, 1, 2, 3, 3], [0x09], Attacks.x, [0x08]]),
            .dictionary(["x": .boolean(false)]), [": a key is not a string"]),
        Case(
            "a key twice", Attacks.binary([[0xD2, 1, 1, 2, 3], Attacks.x, [0x08], [0x09]]),
            .dictionary(["x": .boolean(true)]), ["x: \(twice)"]),
        Case(
            "an array in itself", Attacks.binary([[0xA2, 0, 1], Attacks.x]), .array([.string("x")]),
            ["[0]: the property list refers to itself"]),
        Case(
            "an unknown type", Attacks.binary([[0xD2, 1, 2, 3, 1], Attacks.x, [0x51, 0x79], [0x70]]),
            .dictionary(["y": .string("x")]), ["x: a property list has no such type"]),
    ]

    @Test(arguments: binaries)
    func readsEachOddityOfTheBinaryForm(example: Case) throws {
        let reading = try PropertyListValue.reading(example.data, limits: Self.limits)
        #expect(reading.value == example.value)
        #expect(reading.oddities.first.map { "\($0.place): \($0.rule)" } == example.oddities)
    }

    /// Of a list that is too large the plain entries of the outermost dictionary are known all the same.
    @Test func readsTheOutermostEntriesOfAListWithTooManyValues() throws {
        let many = PropertyListValue.dictionary([
            "Status": .string("Acknowledged"), "List": .array(Array(repeating: .integer(1), count: 2_000)),
        ])
        let binary = try PropertyListSerialization.data(
            fromPropertyList: ["Status": "Acknowledged", "List": Array(0..<2_000)] as [String: Any], format: .binary,
            options: 0)
        for data in [many.xml(), binary] {
            let reading = try PropertyListValue.reading(data, limits: Self.limits)
            #expect(reading.value == .dictionary(["Status": .string("Acknowledged")]))
            #expect(
                reading.oddities.first == [
                    Oddity(place: "List", rule: "the property list holds too many values")
                ])
        }
    }

    @Test func keepsTheFirstOdditiesAndCountsTheOthers() throws {
        let text = "<plist><array>" + String(repeating: "<integer>x</integer>", count: 40) + "</array></plist>"
        let oddities = try PropertyListValue.reading(Data(text.utf8), limits: Self.limits).oddities
        #expect(oddities.count == 40 && oddities.first.count == Oddities.mostKept)
        #expect(oddities.first.last?.place == "[15]")
        let key = String(repeating: "é", count: 1_000)
        let long = "<plist><dict><key>\(key)</key><date/></dict></plist>"
        let place = try PropertyListValue.reading(Data(long.utf8), limits: Self.limits).oddities.first.first?.place
        #expect(place?.utf8.count == 255)
    }

    @Test(arguments: [
        "", "{ old = style; }", "<plist>", "<plist></plist>", "<plist><dict><key>a</key><true/>", "<plist><string>a",
        "<plist><dict></dict", "<plist><string>a</string", "<plist><string><![CDATA[a", "bplist00",
    ])
    func refusesWhatIsCutShortOrNoList(text: String) {
        #expect(throws: InputRefusal.self) { try PropertyListValue.reading(Data(text.utf8), limits: Self.limits) }
    }

    @Test func refusesWhatIsLargerThanAllowed() {
        let data = PropertyListValue.string(String(repeating: "a", count: 100_000)).xml()
        #expect(throws: InputRefusal("the property list is larger than allowed")) {
            try PropertyListValue.reading(data, limits: Self.limits)
        }
    }

    @Test func theAttacksStayWithinTheBounds() throws {
        for (name, attack) in Attacks.propertyLists {
            guard let value = try? PropertyListValue.reading(attack, limits: .message).value else { continue }
            let (objects, depth) = value.extent
            #expect(objects <= InputLimits.message.objects && depth <= InputLimits.message.depth, "\(name)")
        }
    }

    /// What is beyond the two forms stays as strict as it was: administrators are told what is wrong.
    @Test func theStrictReaderRefusesWhatTheLenientOneNotes() throws {
        for example in Self.numbers + Self.others + Self.structures where !example.oddities.isEmpty {
            #expect(throws: InputRefusal.self, "\(example.testDescription)") {
                try PropertyListValue(parsing: example.data, limits: Self.limits)
            }
        }
    }
}

extension PropertyListValue {
    /// How many values and keys there are, and how many containers lie in each other.
    var extent: (objects: Int, depth: Int) {
        switch self {
        case .array(let items):
            let inner = items.map(\.extent)
            return (1 + inner.reduce(0) { $0 + $1.objects }, 1 + (inner.map(\.depth).max() ?? 0))
        case .dictionary(let entries):
            let inner = entries.values.map(\.extent)
            return (1 + inner.reduce(0) { $0 + 1 + $1.objects }, 1 + (inner.map(\.depth).max() ?? 0))
        default: return (1, 0)
        }
    }
}
