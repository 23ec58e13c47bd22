import AppSpecification
import InputBounds
import Testing

@testable import Console

/// Lists grow, shrink and are put in another order by buttons that send the form.
@Suite("Buttons in a configuration's form")
struct FormActionTests {
    private let key: SpecifiedKey
    private let draft: FormDraft

    init() throws {
        key = try FormRoundTripTests.key(
            """
            {"type": "object", "additionalProperties": {"type": "integer"}, "properties": {
              "servers": {"type": "array", "items": {"type": "object", "required": ["ports"], "properties": {
                "host": {"type": "string"}, "ports": {"type": "array", "items": {"type": "integer", "default": 443}}}}}}}
            """)
        draft = FormDraft(
            .dictionary([
                "servers": .array(["a", "b", "c"].map { .dictionary(["host": .string($0)]) })
            ]), as: key)
    }

    private func press(_ text: String, on draft: FormDraft? = nil) throws -> FormDraft {
        (draft ?? self.draft).after(try #require(FormAction(parsing: text)), as: key)
    }

    private func hosts(_ draft: FormDraft) -> [String] {
        (FormReading(draft, as: key).value["servers"]?.array ?? []).map { $0["host"]?.string ?? "" }
    }

    @Test("move an item up and down, and leave the ends where they are")
    func moves() throws {
        #expect(hosts(try press("up /.servers/#2")) == ["a", "c", "b"])
        #expect(hosts(try press("down /.servers/#0")) == ["b", "a", "c"])
        #expect(hosts(try press("up /.servers/#0")) == ["a", "b", "c"])
        #expect(hosts(try press("down /.servers/#2")) == ["a", "b", "c"])
    }

    @Test("remove an item, and a whole list")
    func removes() throws {
        #expect(hosts(try press("remove /.servers/#1")) == ["a", "c"])
        #expect(FormReading(try press("unset /.servers"), as: key).value == .dictionary([:]))
    }

    @Test("add an item with what it needs, and inside it another with its default")
    func adds() throws {
        let more = try press("add /.servers")
        #expect(hosts(more) == ["a", "b", "c", ""])
        let deeper = try press("add /.servers/#3/.ports", on: more)
        let added = FormReading(deeper, as: key).value["servers"]?.array?.last
        #expect(added == .dictionary(["ports": .array([.integer(443)])]))
    }

    @Test("set a list that was not there, as an empty one or with a first item")
    func sets() throws {
        let empty = FormDraft(.dictionary([:]), as: key)
        #expect(FormReading(try press("set /.servers", on: empty), as: key).value["servers"] == .array([]))
        #expect(hosts(try press("add /.servers", on: empty)) == [""])
    }

    @Test("add keys whose names are typed, which must have one and be there once")
    func entries() throws {
        var draft = try press("add ")
        let unnamed = FormReading(draft, as: key)
        #expect(unnamed.errors.map(\.place.text) == ["/*0", "/*0"])
        draft = FormDraft(
            Form(fields: [
                .init("!set", "1"), .init("/*0!name", "one"), .init("/*0!", "1"), .init("/*1!name", "one"),
                .init("/*1!", "2"), .init("/*2!name", "servers"), .init("/*2!", "3"),
            ]), as: key)
        let reading = FormReading(draft, as: key)
        #expect(reading.errors.map(\.place.text) == ["/*1", "/*2"])
        #expect(try FormReading(press("remove /*1", on: draft), as: key).errors.map(\.place.text) == ["/*1"])
    }

    @Test(
        "do nothing where there is no such place",
        arguments: ["up /.servers/#9", "add /.nothing", "set /#0", "remove /*4"])
    func elsewhere(_ text: String) throws {
        #expect(try press(text) == draft)
    }

    @Test("name no place outside of a form", arguments: ["", "add", "fly /.a", "add servers", "add /#-1", "add /?x"])
    func unreadable(_ text: String) {
        #expect(FormAction(parsing: text) == nil)
    }
}
