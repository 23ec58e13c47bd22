import AdminMessages
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
        ("-", "bplist00", .plist), ("-", "", .plist),
    ])
    func findsOutTheForm(path: String, text: String, form: DocumentForm) {
        #expect(ConfigurationDocument.form(of: Data(text.utf8), path: path) == form)
    }
}
