import Foundation
import InputBounds
import TestInputs
import Testing

struct PropertyListScanTests {
    private static func refusal(_ data: Data, _ limits: InputLimits = .configuration) -> String? {
        do {
            try PropertyListScan.check(data, limits: limits)
            return nil
        } catch {
            return error.rule
        }
    }

    private static let attacks: [Refused] = [
        Refused(Attacks.nestedXML(65, dictionaries: false), "the property list nests too deeply"),
        Refused(Attacks.nestedXML(10_000, dictionaries: false), "the property list nests too deeply"),
        Refused(Attacks.nestedXML(10_000, dictionaries: true), "the property list nests too deeply"),
        Refused(Attacks.nestedXML(50_000, dictionaries: true), "the property list is larger than allowed"),
        Refused(Attacks.nestedXML(65_000, dictionaries: false), "the property list nests too deeply"),
        Refused(Attacks.unclosedXML(100_000), "the property list nests too deeply"),
        Refused(Attacks.entityBomb, "a property list has no document type of its own"),
        Refused(Attacks.externalEntity, "a property list has no document type of its own"),
        Refused(Attacks.xml("<string>&x;</string>"), "a property list knows only the five entities of XML"),
        Refused(Attacks.xml("<string>&#x1F600;</string>"), "a numeric character reference is malformed or too large"),
        Refused(Attacks.xml("<string>&#xD800;</string>"), "a numeric character reference is malformed or too large"),
        Refused(Attacks.xml("<string>&#0;</string>"), "a numeric character reference is malformed or too large"),
        Refused(Attacks.sharedReferences, "the property list holds too many values"),
        Refused(Attacks.nestedBinary(65), "the property list nests too deeply"),
        Refused(Attacks.nestedBinary(250), "the property list nests too deeply"),
        Refused(Attacks.selfReference, "the property list refers to itself"),
        Refused(Attacks.longCycle, "the property list refers to itself"),
        Refused(Data("bplist00".utf8), "the binary property list is cut short"),
        Refused(Data("bplist15".utf8) + Data(count: 64), "the binary property list has an unknown version"),
        Refused(Data("{ a = b; }".utf8), "not a property list"),
        Refused(Data(String(repeating: "(", count: 100_000).utf8), "not a property list"),
        Refused(Data(), "not a property list"),
        Refused(Data([0xFF, 0xFE, 0x3C, 0x00]), "the property list is UTF-16; save it as UTF-8"),
        Refused(Data([0x3C, 0x00, 0x3F, 0x00]), "not a property list"),
        Refused(Data(Attacks.head.utf8.dropLast(3)), "the property list is cut short"),
        Refused(Attacks.xml("<dict><key>a</key><string>x"), "an element ends that was not begun"),
        Refused(Attacks.xml("<dict><key>a</key></dict>"), "a key or an element has no value"),
        Refused(Attacks.xml("<dict><string>a</string></dict>"), "a value of a dictionary has no key"),
        Refused(Attacks.xml("<dict><key>a</key><key>b</key><true/></dict>"), "a key stands where a value belongs"),
        Refused(Attacks.xml("<key>a</key>"), "a key stands where a value belongs"),
        Refused(Attacks.xml("<array></dict>"), "an element ends that was not begun"),
        Refused(Attacks.xml("<dict/><dict/>"), "a property list holds one value"),
        Refused(Attacks.xml(""), "a key or an element has no value"),
        Refused(Attacks.xml("<script>1</script>"), "a property list has no such element"),
        Refused(Attacks.xml("<strings/>"), "a property list has no such element"),
        Refused(Attacks.xml("<stringstring/>"), "an element has attributes or no end"),
        Refused(Attacks.xml("<string id=\"a\">x</string>"), "an element has attributes or no end"),
        Refused(Attacks.xml("<string>a<true/></string>"), "an element stands inside a text"),
        Refused(Attacks.xml("<string>a<!-- b --></string>"), "an element stands inside a text"),
        Refused(Attacks.xml("text"), "text stands outside an element"),
        Refused(Attacks.xml("<true/>") + Data("more".utf8), "something follows the property list"),
        Refused(Attacks.xml("<!-- <dict></dict>"), "a comment does not end"),
        Refused(
            Attacks.xml("<integer>" + String(repeating: "9", count: 100_000) + "</integer>"),
            "an integer has no digits or too many"),
        Refused(Attacks.xml("<integer>18446744073709551616</integer>"), "an integer exceeds 64 bits"),
        Refused(Attacks.xml("<integer>-9223372036854775809</integer>"), "an integer exceeds 64 bits"),
        Refused(Attacks.xml("<integer>1 </integer>"), "an integer is not written in decimal digits"),
        Refused(Attacks.xml("<real>1 </real>"), "a real is malformed or out of range"),
        Refused(Attacks.xml("<integer>1.5</integer>"), "an integer is not written in decimal digits"),
        Refused(Attacks.xml("<integer></integer>"), "an integer has no digits or too many"),
        Refused(Attacks.xml("<real>1e999</real>"), "a real is malformed or out of range"),
        Refused(Attacks.xml("<real>0x1p3</real>"), "a real is malformed or out of range"),
        Refused(
            Attacks.xml("<date>99999999999999999999-01-01T00:00:00Z</date>"),
            "a date is not a moment written as YYYY-MM-DDThh:mm:ssZ"),
        Refused(
            Attacks.xml("<date>2026-02-30T00:00:00Z</date>"), "a date is not a moment written as YYYY-MM-DDThh:mm:ssZ"),
        Refused(Attacks.xml("<data/>"), "empty data is written <data></data>"),
        Refused(Attacks.xml("<array><data /></array>"), "empty data is written <data></data>"),
        Refused(Attacks.xml("<dict><key/><true/></dict>"), "an empty key is written <key></key>"),
        Refused(
            Data("<dict><key>a</key><true/></dict>".utf8),
            "a property list begins with <plist version=\"1.0\"> and ends with </plist>"),
        Refused(Attacks.xml("<data>AAA</data>"), "data is not Base64"),
        Refused(Attacks.xml("<data>A*AA</data>"), "data is not Base64"),
    ]

    /// Every attack is refused by the rule that it breaks, by the scan and by the reader alike.
    @Test(arguments: attacks) func refusesEachAttackByItsRule(attack: Refused) {
        #expect(Self.refusal(attack.input) == attack.rule)
        #expect(throws: InputRefusal(rule: attack.rule)) {
            try PropertyListValue(parsing: attack.input, limits: .configuration)
        }
    }

    /// Red where one of 4,400 lines is wrong and nothing says which.
    @Test(arguments: [
        ("<plist>\n<dict><key>a</key>\n<date>2022-08-08-T00:00:00Z</date></dict></plist>", "line 3, column 7, at a"),
        ("<plist><dict>\n<key>k</key><true/>\n  <key>k</key></dict></plist>", "line 3, column 8, at k"),
        ("<dict>\n</dict>", "line 1, column 1"),
        (
            "<plist><dict><key>a</key><array><true/>\n<string>&amp;&nbsp;</string></array></dict></plist>",
            "line 2, column 14, at a[1]"
        ),
        ("\u{FEFF}<plist><array>\n\t<data/></array></plist>", "line 2, column 2, at [0]"),
        ("<plist>\n<dict>\n</array></plist>", "line 3, column 1"),
    ])
    func aRefusalNamesThePlace(text: String, place: String) {
        let refusal = #expect(throws: InputRefusal.self) {
            try PropertyListValue(parsing: Data(text.utf8), limits: .configuration)
        }
        #expect(refusal?.place?.description == place)
        #expect(refusal?.sentence.hasPrefix(place + ": ") == true)
    }

    @Test func refusesABinaryOfTheSizeThatHangsFoundation() {
        #expect(Attacks.sharedReferences.count == 564)
        #expect(Self.refusal(Attacks.sharedReferences) != nil)
    }

    /// References are counted once each, so a list of overlapping arrays costs no more than its limit.
    @Test(.timeLimit(.minutes(10))) func refusesOverlappingArraysInLinearTime() {
        // 250 objects at the same offset, an array of 60,000 references to each other.
        var data = Data("bplist00".utf8)
        data.append(contentsOf: [0xAF, 0x12, 0, 0, 0xEA, 0x60])
        data.append(contentsOf: (0..<60_000).map { UInt8(1 + $0 % 249) })
        let table = data.count
        for _ in 0..<250 { data.append(contentsOf: [0, 0, 8]) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 3, 1])
        Attacks.append([250, 0, table], to: &data)
        #expect(Self.refusal(data) != nil)
    }

    @Test func countsSharedBytesAsOftenAsTheyAreReferredTo() {
        // One text of 200 bytes, referred to 12 × 12 × 12 × 12 times: 4 MB when written out.
        let levels = (0..<4).map { level in [UInt8(0xAC)] + [UInt8](repeating: UInt8(level + 1), count: 12) }
        let list = Attacks.binary(levels + [[0x5F, 0x10, 200] + [UInt8](repeating: 0x61, count: 200)])
        #expect(Self.refusal(list) == "the property list is larger than allowed")
        #expect(Self.refusal(list, InputLimits(bytes: 8_000_000, objects: 200_000)) == nil)
    }

    @Test(arguments: ["utf-16", "ISO-8859-1", "us-ascii", "utf-8x", " utf-8", "ut f-8"])
    func refusesEveryOtherEncoding(name: String) {
        let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?><plist version=\"1.0\"><true/></plist>"
        #expect(Self.refusal(Data(text.utf8)) == "a property list is UTF-8")
    }

    @Test(arguments: [
        "<?xml version='1.0' encoding='utf-8'?><plist><true/></plist>",
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><true/></plist>",
        "<plist version=\"1.0\"><true></true></plist>",
        "<plist version=\"1.0\"><!-- a --><true/><!-- b --></plist><!-- c -->\n",
        "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<true />\n</plist >\n",
    ])
    func acceptsWhatCommonWritersWrite(text: String) throws {
        #expect(try PropertyListValue(parsing: Data(text.utf8), limits: .message) == .boolean(true))
        #expect(try PropertyListDecoder().decode(PropertyListValue.self, from: Data(text.utf8)) == .boolean(true))
    }

    /// What the limits allow must not overflow even a small stack of Foundation's decoder.
    @Test func whatPassesAtFullDepthIsDecodedOnASmallStack() async throws {
        for list in [
            Attacks.nestedXML(64, dictionaries: true), Attacks.nestedXML(64, dictionaries: false),
            Attacks.nestedBinary(64),
        ] {
            try PropertyListScan.check(list, limits: .configuration)
            let decoded = await withCheckedContinuation { done in
                let thread = Thread {
                    done.resume(returning: try? PropertyListDecoder().decode(PropertyListValue.self, from: list))
                }
                thread.stackSize = 512 * 1024
                thread.start()
            }
            #expect(decoded == (try PropertyListValue(parsing: list, limits: .configuration)))
        }
    }

    /// A configuration of exactly one mebibyte passes, one byte more does not.
    @Test func endsAtTheByteItSays() throws {
        let frame = Attacks.xml("<string></string>").count
        let full = Attacks.xml("<string>" + String(repeating: "x", count: 1_048_576 - frame) + "</string>")
        #expect(full.count == 1_048_576)
        #expect(try PropertyListScan.check(full, limits: .configuration) == .xml)
        #expect(Self.refusal(full + Data("\n".utf8)) == "the property list is larger than allowed")
    }

    @Test func neverRepeatsTheInput() {
        let error = #expect(throws: InputRefusal.self) {
            try PropertyListScan.check(Attacks.xml("<secret>peer-controlled</secret>"), limits: .message)
        }
        #expect(error.map { !"\($0)".contains("peer") && !"\($0)".contains("secret") } == true)
    }
}
