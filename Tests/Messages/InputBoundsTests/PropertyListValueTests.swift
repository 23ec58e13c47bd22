import Foundation
import InputBounds
import TestInputs
import Testing

struct PropertyListValueTests {
    private static let everyType = Attacks.xml(
        """
        <dict>
            <key>string</key><string>a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos; &#233;&#xe9; <![CDATA[<raw> & text]]></string>
            <key>integer</key><integer> -42</integer>
            <key>largest</key><integer>18446744073709551615</integer>
            <key>real</key><real>1</real>
            <key>small</key><real>-1.5e-3</real>
            <key>yes</key><true/>
            <key>no</key><false></false>
            <key>date</key><date>2024-02-29T12:34:56Z</date>
            <key>data</key><data>
            AAEC
            /w==
            </data>
            <key>array</key><array><integer>1</integer><real>1</real><true/><string/></array>
            <key>dictionary</key><dict/>
        </dict>
        """)

    private static let everyValue: PropertyListValue = .dictionary([
        "string": .string("a & b <c> \"d\" 'e' éé <raw> & text"), "integer": .integer(-42),
        "largest": .unsigned(.max), "real": .real(1), "small": .real(-0.0015), "yes": .boolean(true),
        "no": .boolean(false), "date": .date(Date(timeIntervalSince1970: 1_709_210_096)),
        "data": .data(Data([0, 1, 2, 255])),
        "array": .array([.integer(1), .real(1), .boolean(true), .string("")]), "dictionary": .dictionary([:]),
    ])

    /// S4-FLOW-12: every type arrives as what it was.
    @Test func keepsEveryTypeApart() throws {
        #expect(try PropertyListValue(parsing: Self.everyType, limits: .configuration) == Self.everyValue)
    }

    @Test func readsTheBinaryFormThatFoundationWrites() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let binary = try encoder.encode(Self.everyValue)
        #expect(binary.starts(with: Data("bplist00".utf8)))
        #expect(try PropertyListValue(parsing: binary, limits: .configuration) == Self.everyValue)
    }

    @Test func readsBinaryTextsOfBothWidths() throws {
        let list = Attacks.binary([
            [0xA2, 1, 2], [0x53, 0x61, 0x62, 0x63], [0x63, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00],
        ])
        #expect(try PropertyListValue(parsing: list, limits: .message) == .array([.string("abc"), .string("é😀")]))
    }

    private static let malformed: [Refused] = [
        Refused(Attacks.binary([[0x61, 0xD8, 0x00]]), "a text is not UTF-16"),
        Refused(Attacks.binary([[0x51, 0x80]]), "a text is not ASCII as it says"),
        Refused(Attacks.binary([[0x80, 0x01]]), "a property list has no such type"),
        Refused(Attacks.binary([[0x00]]), "a property list has no such type"),
        Refused(Attacks.binary([[0xC1, 0x00]]), "a property list has no such type"),
        Refused(Attacks.binary([[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]]), "a date lies outside the years 0 to 9999"),
        Refused(Attacks.binary([[0x33, 0x7F, 0xEF, 0, 0, 0, 0, 0, 0]]), "a date lies outside the years 0 to 9999"),
        Refused(
            Attacks.binary([[0x5F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]]),
            "an object lies outside the binary property list"),
        Refused(
            Attacks.binary([[0x4F, 0x13, 0xFF, 255, 255, 255, 255, 255, 255, 255]]),
            "an object lies outside the binary property list"),
        Refused(
            Attacks.binary([[0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]]), "an integer exceeds 64 bits"),
        Refused(Attacks.binary([[0xA1, 9]]), "a reference points at no object"),
        Refused(Attacks.binary([[0xD1, 0, 0]]), "the property list refers to itself"),
        Refused(Attacks.binary([[0x13, 1]]), "an object lies outside the binary property list"),
        Refused(Attacks.binary([[0x5F, 0x51]]), "the size of an object is malformed"),
    ]

    @Test(arguments: malformed) func refusesMalformedObjects(list: Refused) {
        #expect(throws: InputRefusal(rule: list.rule)) {
            try PropertyListValue(parsing: list.input, limits: .message)
        }
    }

    @Test func refusesABinaryKeyThatIsNoString() {
        let list = Attacks.binary([[0xD1, 1, 2], [0x10, 5], Attacks.x])
        #expect(throws: InputRefusal(rule: "a key is not a string")) {
            try PropertyListValue(parsing: list, limits: .message)
        }
    }

    /// Found by mutation: Foundation looks at every offset before it reads anything.
    @Test func refusesAnOffsetOutsideEvenWhenNothingRefersToIt() {
        var list = Attacks.binary([Attacks.x, Attacks.x])
        list[list.count - 33] = 0xF0
        #expect(throws: InputRefusal(rule: "an object lies outside the binary property list")) {
            try PropertyListScan.check(list, limits: .message)
        }
    }

    /// Two readers could disagree about which of the two values counts.
    @Test func refusesAKeyThatComesTwice() {
        let rule = InputRefusal(rule: "a dictionary holds the same key twice")
        let xml = Attacks.xml("<dict><key>a</key><true/><key>a</key><false/></dict>")
        #expect(throws: rule) { try PropertyListValue(parsing: xml, limits: .message) }
        let binary = Attacks.binary([[0xD2, 1, 1, 2, 2], Attacks.x, [0x09]])
        #expect(throws: rule) { try PropertyListValue(parsing: binary, limits: .message) }
    }

    @Test func writesKeysInOrderAndTheSameBytesEachTime() throws {
        let one = try PropertyListValue(parsing: Self.everyType, limits: .configuration).xml()
        #expect(one == Self.everyValue.xml())
        let small = PropertyListValue.dictionary(["b": .integer(1), "a": .array([.boolean(true)])]).xml()
        #expect(
            String(decoding: small, as: UTF8.self).hasSuffix(
                "<dict>\n\t<key>a</key>\n\t<array>\n\t\t<true/>\n\t</array>\n\t<key>b</key>\n\t<integer>1</integer>\n</dict>\n</plist>\n"
            ))
    }

    @Test(arguments: 0..<300) func anyValueSurvivesItsXML(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = PropertyListValue.array([.random(depth: 4, using: &random)])
        let xml = value.xml()
        #expect(try PropertyListScan.check(xml, limits: .configuration) == .xml)
        #expect(try PropertyListValue(parsing: xml, limits: .configuration) == value)
        #expect(Agreement.propertyList(try PropertyListDecoder().decode(PropertyListValue.self, from: xml), value))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let binary = try encoder.encode(value)
        #expect(try PropertyListValue(parsing: binary, limits: .configuration) == value)
    }

    @Test func equalsWhatMeansTheSame() {
        #expect(PropertyListValue.unsigned(5) == .integer(5))
        #expect(PropertyListValue.unsigned(5).hashValue == PropertyListValue.integer(5).hashValue)
        #expect(PropertyListValue.real(.nan) == .real(.nan))
        #expect(PropertyListValue.real(1) != .integer(1))
        #expect(PropertyListValue.boolean(true) != .integer(1))
        #expect(PropertyListValue.unsigned(.max) != .integer(-1))
    }

    @Test(arguments: [
        "0000-01-01T00:00:00Z", "0000-02-29T00:00:00Z", "0000-12-30T00:00:00Z", "0001-01-01T00:00:00Z",
        "1582-10-10T00:00:00Z", "1969-07-20T20:17:40Z", "2000-02-29T23:59:59Z",
        "9999-12-31T23:59:59Z",
    ])
    func readsAndWritesDatesInTheGregorianCalendar(text: String) throws {
        let date = try #require(PropertyListValue.date(parsing: text))
        #expect(PropertyListValue.text(of: date) == text)
        let read = unsafe try PropertyListSerialization.propertyList(
            from: Attacks.xml("<date>\(text)</date>"), format: nil)
        #expect(read as? Date == date)
    }

    @Test func writesADateOutsideTheCalendarAsTheNearestInside() {
        #expect(PropertyListValue.text(of: Date(timeIntervalSince1970: 1e300)) == "9999-12-31T23:59:59Z")
        #expect(PropertyListValue.text(of: Date(timeIntervalSince1970: -1e300)) == "0000-01-01T00:00:00Z")
        #expect(PropertyListValue.text(of: .distantPast) == "0000-12-30T00:00:00Z")
    }

    @Test func convertsToJSONAndBackWhereNothingIsLost() throws {
        let value = PropertyListValue.dictionary(["a": .array([.integer(1), .real(1), .boolean(false), .string("é")])])
        let json = try JSONValue(propertyList: value)
        #expect(try PropertyListValue(json: json) == value)
        #expect(throws: InputRefusal.self) { try JSONValue(propertyList: .data(Data())) }
        #expect(throws: InputRefusal.self) { try JSONValue(propertyList: .date(.now)) }
        #expect(throws: InputRefusal.self) { try JSONValue(propertyList: .real(.nan)) }
        #expect(throws: InputRefusal.self) { try PropertyListValue(json: .array([.null])) }
        #expect(throws: InputRefusal.self) { try PropertyListValue(json: .string("a\u{0}b")) }
    }
}
