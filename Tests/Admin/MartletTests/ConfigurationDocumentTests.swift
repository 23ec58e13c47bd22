import AdminMessages
import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing
import martlet

struct ConfigurationDocumentTests {
    private func converted(_ json: String) throws -> PropertyListValue {
        let document = try ConfigurationDocument(reading: Data(json.utf8), as: .json)
        return try PropertyListValue(parsing: document.bytes, limits: .configuration)
    }

    private func refusal(_ json: String) -> Failure? {
        #expect(throws: Failure.self) { try ConfigurationDocument(reading: Data(json.utf8), as: .json) }
    }

    @Test func convertsEveryKindOfValue() throws {
        let value = try converted(
            #"{"s":"<é>&","i":-1,"b":true,"f":false,"r":1.5,"w":2.0,"a":[1,"x",[],{}],"d":{"e":{}}}"#)
        #expect(
            value
                == .dictionary([
                    "s": .string("<é>&"), "i": .integer(-1), "b": .boolean(true), "f": .boolean(false),
                    "r": .real(1.5), "w": .real(2), "d": .dictionary(["e": .dictionary([:])]),
                    "a": .array([.integer(1), .string("x"), .array([]), .dictionary([:])]),
                ]))
    }

    @Test(arguments: [Int64.max, .min, 9_007_199_254_740_993])
    func keepsLargeIntegersExact(number: Int64) throws {
        #expect(try converted(#"{"n":\#(number)}"#) == .dictionary(["n": .integer(number)]))
    }

    @Test(arguments: ["9223372036854775808", "18446744073709551616", "-9223372036854775809"])
    func refusesAWholeNumberThatWouldLoseDigits(number: String) {
        let failure = refusal(#"{"a":{"n":\#(number)}}"#)
        #expect(failure?.status == .refused)
        #expect(failure?.reason.contains("(key path: a.n)") == true)
    }

    private static let reminder = #"""
        {"x-app": {"bundleIdentifier": "com.example.notes"}, "type": "object", "properties": {
          "until": {"type": "string", "format": "date-time"}, "logo": {"type": "string", "contentEncoding": "base64"},
          "ratio": {"type": "number"}, "seed": {"type": "integer", "maximum": 18446744073709551615},
          "list": {"type": "array", "items": {"type": "string", "format": "date-time"}}},
         "x-extensions": {"com.example.notes.widget": {"type": "object", "required": ["since"], "properties": {
          "since": {"type": "string", "format": "date-time"}}}}}
        """#

    private func published(extension identifier: String? = nil) throws -> PublishedKeys {
        PublishedKeys(try AppSpecification(parsing: Data(Self.reminder.utf8)), extension: identifier)
    }

    private func converted(_ json: String, by published: PublishedKeys) throws -> PropertyListValue {
        let value = try ConfigurationDocument.json(Data(json.utf8))
        let document = try ConfigurationDocument(value, keys: published.keys(for: value))
        return try PropertyListValue(parsing: document.bytes, limits: .configuration)
    }

    /// Red where `spec validate` took a date in JSON and `configuration set`, `apply` and `try` did not.
    @Test func textsAreTheDatesAndDataThatTheSpecificationSays() throws {
        let moment = PropertyListValue.date(Date(timeIntervalSince1970: 1_796_112_000))
        let read = try converted(
            #"{"until": "2026-12-01T08:00:00Z", "logo": "AAEC", "ratio": 1, "list": ["2026-12-01T08:00:00Z"]}"#,
            by: published())
        #expect(
            read
                == .dictionary([
                    "until": moment, "logo": .data(Data([0, 1, 2])), "ratio": .real(1), "list": .array([moment]),
                ]))
        #expect(try converted(#"{"until": "x"}"#) == .dictionary(["until": .string("x")]))
        // What belongs to an extension is read by its specification, named or not.
        let since = PropertyListValue.dictionary(["since": moment])
        #expect(try converted(#"{"since": "2026-12-01T08:00:00Z"}"#, by: published()) == since)
        let widget = try published(extension: "com.example.notes.widget")
        #expect(try converted(#"{"since": "2026-12-01T08:00:00Z"}"#, by: widget) == since)
    }

    /// Red where a date was refused as JavaScript, Python and Go write it, which `date-time` allows.
    @Test(arguments: [
        "2026-12-01T08:00:00.000Z", "2026-12-01T09:00:00+01:00", "2026-12-01T00:30:00.0-07:30",
        "2026-12-01T08:00:00+00:00", "2026-12-01t08:00:00z",
    ])
    func aDateOfJSONMayBeWrittenAsProgramsDo(text: String) throws {
        let moment = PropertyListValue.date(Date(timeIntervalSince1970: 1_796_112_000))
        #expect(try converted(#"{"until": "\#(text)"}"#, by: published()) == .dictionary(["until": moment]))
    }

    /// Red where Base64 was refused that `base64` and `openssl` had written in lines.
    @Test func dataOfJSONMayBeInLines() throws {
        let data = Data((0..<100).map { UInt8($0) })
        let options: Data.Base64EncodingOptions = [.lineLength76Characters, .endLineWithLineFeed]
        let lines = JSONValue.string(data.base64EncodedString(options: options) + "\n")
        let text = String(decoding: JSONValue.object(["logo": lines]).encoded(), as: UTF8.self)
        #expect(try converted(text, by: published()) == .dictionary(["logo": .data(data)]))
    }

    /// Red where a date that may be null, as generators of schemas write an optional one, stayed a text.
    @Test func aTypeBesideNullIsThatType() throws {
        let specification = try AppSpecification(
            parsing: Data(
                #"""
                {"x-app": {"bundleIdentifier": "com.example.notes"}, "type": "object", "properties": {
                  "until": {"type": ["string", "null"], "format": "date-time"},
                  "logo": {"type": ["null", "string"], "contentEncoding": "base64"},
                  "ratio": {"type": ["number", "null"]}, "level": {"type": ["string", "null"], "enum": ["a", null]},
                  "either": {"type": ["string", "integer", "null"]}}}
                """#.utf8))
        let read = try converted(
            #"{"until": "2026-12-01T08:00:00Z", "logo": "AAEC", "ratio": 1, "level": "a", "either": "b"}"#,
            by: PublishedKeys(specification))
        #expect(
            read
                == .dictionary([
                    "until": .date(Date(timeIntervalSince1970: 1_796_112_000)), "logo": .data(Data([0, 1, 2])),
                    "ratio": .real(1), "level": .string("a"), "either": .string("b"),
                ]))
        #expect(specification.findings(in: read).isEmpty)
        #expect(specification.configuration["level"]?.choices?.map(\.value) == [.string("a")])
    }

    /// What JSON has no number for is a text, as `spec example --json` and the console write it.
    @Test func whatTheProductWritesAsJSONIsReadAgain() throws {
        let value = PropertyListValue.dictionary([
            "seed": .number(.max), "ratio": .real(.infinity), "until": .date(Date(timeIntervalSince1970: 0)),
            "logo": .data(Data()),
        ])
        let text = String(decoding: JSONValue(describing: value).encoded(), as: UTF8.self)
        #expect(try converted(text, by: published()) == value)
        #expect(try converted(#"{"ratio": 1e30}"#, by: published()) == .dictionary(["ratio": .real(1e30)]))
    }

    @Test(arguments: [
        (#"{"until": "tomorrow"}"#, "a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"),
        (
            #"{"until": "2026-12-01T08:00:00.250Z"}"#,
            "a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"
        ),
        (#"{"until": "2026-12-01T08:00:00"}"#, "a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"),
        (#"{"until": "2026-12-01T08:00:00+24:00"}"#, "a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"),
        (#"{"until": "9999-12-31T23:59:59-01:00"}"#, "a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"),
        (#"{"logo": "%"}"#, "data is written in base64 (key path: logo)"),
        (#"{"list": [1, "2026"]}"#, "a date is written YYYY-MM-DDThh:mm:ssZ (key path: list[1])"),
        (#"{"seed": 18446744073709551615}"#, "a whole number does not fit 64 bits (key path: seed)"),
    ])
    func aTextOfAnotherFormIsRefusedWithItsKeyPath(json: String, reason: String) throws {
        let failure = #expect(throws: Failure.self) { try converted(json, by: published()) }
        #expect(failure?.reason == reason && failure?.status == .refused)
    }

    @Test func aPartOfASecondIsRefusedWithTheReason() throws {
        let failure = #expect(throws: Failure.self) {
            try converted(#"{"until": "2026-12-01T08:00:00.250+01:00"}"#, by: published())
        }
        #expect(failure?.advice == "A property list has dates in whole seconds.")
    }

    /// Red where of 4,400 lines nothing says which.
    @Test(arguments: [
        ("{\n \"a\": 1,\n}", DocumentForm.json, "this is no acceptable JSON: line 2, column 8: a comma stands"),
        (
            "<plist><dict><key>a</key>\n<date>2026</date></dict></plist>", .plist,
            "this is no acceptable property list: line 2, column 7, at a: a date is not a moment written as YYYY"
        ),
        (
            "<dict><key>URL</key></dict>", .plist,
            "this is no acceptable property list: line 1, column 1: a property list begins with <plist version=\"1.0\">"
        ),
    ])
    func aRefusalNamesFormatPlaceAndWhatToWrite(text: String, form: DocumentForm, reason: String) {
        let failure = #expect(throws: Failure.self) { try ConfigurationDocument(reading: Data(text.utf8), as: form) }
        #expect(failure?.reason.hasPrefix(reason) == true, "\(failure?.reason ?? "")")
    }

    @Test func aFileOfTheOtherFormIsRefusedWithAdvice() {
        let json = #expect(throws: Failure.self) { try ConfigurationDocument(reading: Data("{}".utf8), as: .plist) }
        #expect(json?.advice?.contains("--format json") == true)
        let list = #expect(throws: Failure.self) {
            try ConfigurationDocument(reading: Data("<plist><dict/></plist>".utf8), as: .json)
        }
        #expect(list?.advice?.contains("--format plist") == true)
    }

    /// Red where a file of PowerShell is no acceptable property list.
    @Test func aByteOrderMarkIsPassedOver() throws {
        #expect(try converted("\u{FEFF}{\"days\": 7}") == .dictionary(["days": .integer(7)]))
    }

    @Test func refusesNullWithItsKeyPath() {
        let failure = refusal(#"{"a":[{"b":1},{"c":null}]}"#)
        #expect(failure?.reason == "a property list has no null (key path: a[1].c)")
        #expect(failure?.status == .refused)
    }

    @Test func refusesControlCharactersWithTheirKeyPath() {
        #expect(refusal(#"{"a":"x\u0001"}"#)?.reason.contains("(key path: a)") == true)
    }

    @Test(arguments: ["[1]", "1", "null", #""text""#])
    func refusesWhatIsNoObject(json: String) {
        #expect(refusal(json)?.reason == "the outermost value of a configuration is an object")
    }

    @Test(arguments: ["", "{", #"{"a":1,"a":2}"#, #"{"a":1}x"#])
    func refusesWhatIsNoJSON(json: String) {
        #expect(refusal(json)?.status == .refused)
    }

    @Test func refusesJSONThatNestsTooDeeply() {
        let deep = String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)
        #expect(refusal(deep)?.status == .refused)
    }

    @Test func refusesEveryAttackWithoutRepeatingIt() {
        for (form, attacks) in [(DocumentForm.plist, Attacks.propertyLists), (.json, Attacks.jsonDocuments)] {
            for (name, attack) in attacks {
                let failure = #expect(throws: Failure.self, "\(name)") {
                    try ConfigurationDocument(reading: attack, as: form)
                }
                #expect(failure?.status == .refused)
                #expect(failure?.reason.contains("lol") == false)
            }
        }
    }

    @Test("S4-FLOW-12: a property list is sent exactly as it is")
    func sendsAPropertyListAsItIs() throws {
        let list = Data("<plist version=\"1.0\"> <dict><key>a</key><data>AAE=</data></dict></plist>".utf8)
        #expect(try ConfigurationDocument(reading: list, as: .plist).bytes == list)
    }

    @Test func refusesAPropertyListThatIsNoDictionary() {
        let list = Data("<plist version=\"1.0\"><array/></plist>".utf8)
        #expect(throws: Failure(.refused, "the outermost value of a configuration is a dictionary")) {
            try ConfigurationDocument(reading: list, as: .plist)
        }
    }

    private func list(bytes: Int) -> Data {
        let frame = "<plist version=\"1.0\"><dict><key>a</key><string></string></dict></plist>"
        let filling = String(repeating: "x", count: bytes - frame.utf8.count)
        return Data(frame.replacing("<string>", with: "<string>" + filling).utf8)
    }

    @Test func takesExactlyOneMebibyte() throws {
        #expect(try ConfigurationDocument(reading: list(bytes: 1_048_576), as: .plist).bytes.count == 1_048_576)
    }

    @Test func refusesOneByteMoreAndSaysTheRule() {
        let failure = #expect(throws: Failure.self) {
            try ConfigurationDocument(reading: list(bytes: 1_048_577), as: .plist)
        }
        #expect(failure?.status == .refused)
        #expect(failure?.reason.hasPrefix("a configuration is at most 1,048,576 bytes") == true)
    }

    @Test("S4-BP-01: a configuration above 100 kB is sent with a warning")
    func warnsAboutALargeOne() throws {
        #expect(try ConfigurationDocument(reading: list(bytes: 100_000), as: .plist).warning == nil)
        #expect(try ConfigurationDocument(reading: list(bytes: 100_001), as: .plist).warning != nil)
    }

    @Test(arguments: [
        ("a.json", "<", DocumentForm.json), ("a.plist", "{", .plist), ("-", " \n{}", .json), ("-", "<?xml", .plist),
        ("-", "bplist00", .plist), ("-", "", .plist), ("-", "\u{FEFF}{\"a\": 1}", .json),
        ("-", "\u{FEFF}<plist>", .plist),
    ])
    func findsOutTheForm(path: String, text: String, form: DocumentForm) {
        #expect(ConfigurationDocument.form(of: Data(text.utf8), path: path) == form)
    }
}
