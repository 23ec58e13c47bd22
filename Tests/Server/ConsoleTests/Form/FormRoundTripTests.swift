import AppSpecification
import Foundation
import InputBounds
import Testing

@testable import Console

/// A configuration goes through a form and comes out as it went in.
@Suite("A configuration's form")
struct FormRoundTripTests {
    @Test(
        "gives back the property list that it was made of, whatever the specification and the list", arguments: 0..<300)
    func roundTrip(_ seed: UInt64) throws {
        var random = RandomConfiguration(seed: seed)
        let document = random.specification()
        let key = try AppSpecification(document).configuration
        for _ in 0..<5 {
            let value = random.value(of: document)
            let draft = FormDraft(value, as: key)
            let sent = SentForm(FormPage(draft, as: key).fields).form
            let read = FormDraft(sent, as: key)
            #expect(read == draft)
            let reading = FormReading(read, as: key)
            #expect(reading.errors.isEmpty)
            #expect(reading.value == value, "seed \(seed)")
        }
    }

    @Test("as XML and as JSON, where JSON has a text that means the same", arguments: 0..<100)
    func texts(_ seed: UInt64) throws {
        var random = RandomConfiguration(seed: seed)
        let document = random.specification()
        let key = try AppSpecification(document).configuration
        let value = random.value(of: document)
        for form in ConfigurationText.allCases {
            guard let text = form.text(of: value, as: key) else {
                #expect(form == .json)
                continue
            }
            #expect(try form.value(of: text, as: key).get() == value)
        }
    }

    @Test("keeps what was typed and says at each key what belongs there")
    func typeErrors() throws {
        let key = try Self.key(
            """
            {"type": "object", "properties": {
              "port": {"type": "integer"}, "ratio": {"type": "number"}, "day": {"type": "string", "format": "date-time"},
              "blob": {"type": "string", "contentEncoding": "base64"}, "flags": {"type": "array", "items": {"type": "boolean"}}}}
            """)
        let form = Form(fields: [
            .init("!set", "1"), .init("/.port!", "80a"), .init("/.ratio!", "0x1p3"), .init("/.day!", "tomorrow"),
            .init("/.blob!", "%"), .init("/.flags!set", "1"), .init("/.flags/#0!", ""),
        ])
        let draft = FormDraft(form, as: key)
        let reading = FormReading(draft, as: key)
        #expect(reading.errors.map(\.place.text) == ["/.blob", "/.day", "/.flags/#0", "/.port", "/.ratio"])
        let page = FormPage(draft, as: key, errors: reading.errors).fields.text
        for typed in ["80a", "0x1p3", "tomorrow", "%"] { #expect(page.contains(typed)) }
        #expect(page.contains("aria-describedby=\"c_2f_2eport-error\" aria-invalid=\"true\""))
        #expect(
            SentForm(FormPage(draft, as: key, errors: reading.errors).fields).form.fields.contains(
                .init("/.port!", "80a")))
    }

    @Test("takes dates and numbers as people type them")
    func lenient() throws {
        let key = try Self.key(
            """
            {"type": "object", "properties": {"day": {"type": "string", "format": "date-time"},
             "port": {"type": "integer"}, "ratio": {"type": "number"}}}
            """)
        let read = { (day: String) in
            FormReading(
                FormDraft(
                    Form(fields: [
                        .init("!set", "1"), .init("/.day!", day), .init("/.port!", " 80 "), .init("/.ratio!", "2"),
                    ]), as: key), as: key
            ).value
        }
        for day in ["2026-11-21", "2026-11-21 00:00", "2026-11-21T00:00Z", "2026-11-21T00:00:00Z"] {
            #expect(read(day)["day"] == .date(Date(timeIntervalSince1970: 1_795_219_200)), "\(day)")
        }
        #expect(read("2026-11-21")["port"] == .integer(80))
        #expect(read("2026-11-21")["ratio"] == .real(2))
    }

    @Test("tells a text that is empty from one that is not set, and a flag that is off from none")
    func absence() throws {
        let key = try Self.key(
            #"{"type": "object", "properties": {"t": {"type": "string"}, "f": {"type": "boolean"}}}"#)
        let read = { (fields: [Form.Field]) in
            FormReading(FormDraft(Form(fields: [.init("!set", "1")] + fields), as: key), as: key).value
        }
        #expect(read([.init("/.t!", ""), .init("/.f!", "")]) == .dictionary([:]))
        #expect(
            read([.init("/.t!", ""), .init("/.t!set", "1"), .init("/.f!", "=false")])
                == .dictionary(["t": .string(""), "f": .boolean(false)]))
    }

    static func key(_ json: String) throws -> SpecifiedKey {
        guard case .object(var document) = try JSONValue(parsing: Data(json.utf8), limits: .adminBody) else {
            throw InputRefusal("no object")
        }
        document["x-app"] = .object(["bundleIdentifier": .string("com.example.app")])
        return try AppSpecification(.object(document)).configuration
    }
}
