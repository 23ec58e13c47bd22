import InputBounds
import Testing

@testable import martlet

/// At which keys two values differ.
struct KeyDifferenceTests {
    private func paths(_ old: PropertyListValue, _ new: PropertyListValue) -> [String] {
        KeyDifference.all(from: old, to: new).map { "\($0.change.sign) \($0.path)" }
    }

    @Test func equalValuesDifferNowhere() {
        let value = PropertyListValue.dictionary(["a": .array([.integer(1)])])
        #expect(paths(value, value) == [])
    }

    @Test func eachKeyIsNamedOnItsOwn() {
        let old = PropertyListValue.dictionary([
            "gone": .integer(1), "same": .integer(2),
            "servers": .array([.dictionary(["host": .string("a"), "port": .integer(1)]), .string("b")]),
        ])
        let new = PropertyListValue.dictionary([
            "same": .integer(2), "come": .boolean(true),
            "servers": .array([.dictionary(["host": .string("a"), "port": .integer(2)]), .string("b")]),
        ])
        #expect(paths(old, new) == ["+ come", "- gone", "~ servers[0].port"])
    }

    @Test func anArrayOfAnotherLengthIsOneDifference() {
        #expect(
            paths(.dictionary(["a": .array([])]), .dictionary(["a": .array([.integer(1)])])) == ["~ a"])
    }

    @Test func anotherTypeIsADifference() {
        #expect(paths(.dictionary(["a": .integer(1)]), .dictionary(["a": .real(1)])) == ["~ a"])
    }

    @Test func keysWithDotsAndBracketsStayOneKey() {
        #expect(paths(.dictionary([:]), .dictionary(["a.b[0]": .integer(1)])) == ["+ \"a.b[0]\""])
    }
}
