import AppSpecification
import Foundation
import InputBounds
import Testing

struct ConfigurationFindingTests {
    private func told(_ list: PropertyListValue) throws -> [String] {
        try Fixture.specification().findings(in: list).map { "\($0.severity): \($0.description)" }
    }

    private let valid: [String: PropertyListValue] = ["serverURL": .string("https://a.example")]

    @Test func aValidConfigurationHasNothingToBeSaidOf() throws {
        #expect(try told(.dictionary(valid)).isEmpty)
        #expect(try Fixture.specification().findings(in: Fixture.specification().example()).isEmpty)
    }

    /// Every violation, with its key, what is allowed, and what was probably meant: S4-SPEC-02, S0-CFG-08, S0-CFG-12.
    @Test func eachViolationIsToldWithItsKey() throws {
        let list = PropertyListValue.dictionary([
            "serverURL": .string("http://a"), "syncMinutes": .string("15"), "role": .string("laed"),
            "teams": .array([.dictionary(["members": .array([.string("Ana")])])]),
        ])
        #expect(
            try told(list) == [
                "error: role: must be one of \"staff\", \"lead\"; found text. Did you mean \"lead\"?",
                "error: serverURL: must match the pattern ^https://.+$; found text",
                "error: syncMinutes: must be an integer; found text. Write it as an integer, not as text",
                "error: teams[0].name: must be there; found nothing",
                "error: teams[0].members[0]: must match the pattern ^[a-z]+$; found text",
            ])
    }

    /// S4-BP-05: an app ignores what it does not know, so it is a warning.
    @Test func aKeyThatTheAppDoesNotKnowIsWarnedOfWithTheNearestOne() throws {
        var list = valid
        list["syncMinuts"] = .integer(5)
        list["teams"] = .array([.dictionary(["name": .string("a"), "x": .boolean(true)])])
        #expect(
            try told(.dictionary(list)) == [
                "warning: syncMinuts: is not a key that the app knows: it ignores it. Did you mean \"syncMinutes\"?",
                "warning: teams[0].x: is not a key that the app knows: it ignores it",
            ])
    }

    @Test func whatShouldNotBeUsedAnyMoreSaysWhatInstead() throws {
        var list = valid
        list["syncSeconds"] = .integer(900)
        #expect(
            try told(.dictionary(list)) == [
                "warning: syncSeconds: should not be used any more since version 2.0; the app reads it until version 4.0. "
                    + "Use \"syncMinutes\""
            ])
    }

    /// S4-SPEC-04.
    @Test func secretsThatAreMissingAreNamed() throws {
        let specification = try Fixture.specification()
        #expect(specification.missing(among: []).map(\.identifier) == ["account"])
        #expect(specification.missing(among: [(.certificate, "account")]).map(\.identifier) == ["account"])
        #expect(specification.missing(among: [(.password, "account")]).isEmpty)
        let prefixed = try Fixture.specification(
            keys: "", more: #", "x-secrets": [{"kind": "identity", "prefix": "vpn.", "required": true}]"#)
        #expect(prefixed.missing(among: [(.identity, "vpn")]).count == 1)
        #expect(prefixed.missing(among: [(.identity, "vpn.office")]).isEmpty)
    }

    @Test func noMoreIsSaidThanIsAskedFor() throws {
        let list = PropertyListValue.dictionary(
            Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("k\($0)", PropertyListValue.integer(1)) }))
        #expect(try Fixture.specification().findings(in: list, most: 10).count == 10)
    }

    /// No value of a configuration is in what is said of it.
    @Test func noFindingHoldsAValue() throws {
        let secret = "hunter2hunter2"
        let list = PropertyListValue.dictionary([
            "serverURL": .string(secret), "role": .string(secret), "syncMinutes": .string(secret),
            "teams": .string(secret), "expires": .string(secret), "other": .string(secret),
        ])
        let told = try told(list)
        #expect(told.count >= 6)
        #expect(!told.joined().contains("hunter"))
    }
}
