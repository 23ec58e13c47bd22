import AdminMessages
import Testing

@testable import Console

/// What stands in the field of a setting's payload, and what it means.
struct SettingFormTests {
    private static func edit(_ form: SettingForm, _ text: String) -> FormEdit {
        FormEdit(form.labels, Form(fields: [Form.Field("text", text)]))
    }

    @Test func aCertificateIsItsTextAlone() throws {
        let form = SettingForm(kind: "root-certificate")
        let payload = JSON.object(["certificate": .string("-----BEGIN\nCERT")])
        #expect(form.values(of: payload) == ["text": "-----BEGIN\nCERT"])
        // Browsers end lines with two characters.
        #expect(try form.payload(Self.edit(form, "-----BEGIN\r\nCERT")).get() == payload)
    }

    /// A kind whose schema has one text and nothing else takes the text itself, with its lines.
    ///
    /// Red where such a kind is written in JSON: the field would hold braces and escapes.
    @Test func aKindOfOneTextIsThatText() throws {
        func kind(_ properties: [String: JSON]) -> SettingKind {
            SettingKind(
                name: "another", title: "Another", purpose: "For this test.",
                schema: .object(["type": .string("object"), "properties": .object(properties)]), combination: "all")
        }
        let text = JSON.object(["type": .string("string")])
        let form = SettingForm(kind: "another", of: [kind(["words": text])])
        let payload = JSON.object(["words": .string("One\nTwo")])
        #expect(form.values(of: payload) == ["text": "One\nTwo"])
        #expect(try form.payload(Self.edit(form, "One\r\nTwo")).get() == payload)
        let others = [
            kind([:]), kind(["words": text, "more": text]), kind(["words": .object(["type": .string("integer")])]),
        ]
        for other in others {
            let form = SettingForm(kind: "another", of: [other])
            #expect(try form.payload(Self.edit(form, "{}")).get() == .object([:]))
        }
    }

    @Test(arguments: [JSON.object(["a": .array([.integer(1), .null])]), .object(["b": .boolean(true)]), .object([:])])
    func everyOtherPayloadIsJSONThereAndBack(payload: JSON) throws {
        let form = SettingForm(kind: "another")
        let text = try #require(form.values(of: payload)["text"])
        #expect(try form.payload(Self.edit(form, text)).get() == payload)
    }

    @Test(arguments: ["", "{", #"{"a": 1, "a": 2}"#, "{}}"])
    func whatIsNoJSONIsRefusedBeforeItIsSent(text: String) {
        let form = SettingForm(kind: "another")
        #expect(throws: SettingTextRefusal.self) { try form.payload(Self.edit(form, text)).get() }
    }
}
