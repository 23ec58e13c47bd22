import InputBounds
import JSONSchema
import Testing

/// At which keys two values differ: one rule for the command line and the console.
struct KeyDifferenceTests {
    private func lines(_ old: PropertyListValue, _ new: PropertyListValue) -> [String] {
        KeyDifference.all(from: old, to: new).map { "\($0.change.sign) \($0.path)" }
    }

    private func list(_ numbers: some Sequence<Int>) -> PropertyListValue {
        .array(numbers.map { .integer(Int64($0)) })
    }

    @Test func equalValuesDifferNowhere() {
        let value = PropertyListValue.dictionary(["a": .array([.integer(1)])])
        #expect(lines(value, value) == [])
    }

    @Test func eachKeyIsNamedOnItsOwnInTheOrderOfTheKeysWithBothValues() {
        let old = PropertyListValue.dictionary([
            "gone": .integer(1), "same": .integer(2),
            "servers": .array([.dictionary(["host": .string("a"), "port": .integer(1)]), .string("b")]),
        ])
        let new = PropertyListValue.dictionary([
            "same": .integer(2), "come": .boolean(true),
            "servers": .array([.dictionary(["host": .string("a"), "port": .integer(2)]), .string("b")]),
        ])
        #expect(lines(old, new) == ["+ come", "- gone", "~ servers[0].port"])
        let found = KeyDifference.all(from: old, to: new)
        #expect(found.map(\.old) == [nil, .integer(1), .integer(1)])
        #expect(found.map(\.new) == [.boolean(true), nil, .integer(2)])
    }

    @Test func aDictionaryThatIsNewOrGoneIsOneDifference() {
        let inner = PropertyListValue.dictionary(["x": .integer(1), "y": .integer(2)])
        #expect(lines(.dictionary([:]), .dictionary(["a": inner])) == ["+ a"])
        #expect(lines(.dictionary(["a": inner]), .dictionary([:])) == ["- a"])
    }

    @Test func itemsThatCameAndWentAreNamedByTheirPlaces() {
        let (old, new) = (list([1, 2, 3, 4]), list([2, 4, 5]))
        #expect(lines(.dictionary(["a": old]), .dictionary(["a": new])) == ["- a[0]", "- a[2]", "+ a[2]"])
        let found = KeyDifference.all(from: old, to: new)
        #expect(found.map(\.old) == [.integer(1), .integer(3), nil])
        #expect(found.map(\.new) == [nil, nil, .integer(5)])
    }

    @Test func ofListsThatDifferInTooMuchOnlyThatIsSaid() {
        #expect(lines(list(0..<501), list(1..<501)) == ["~ "])
        #expect(lines(list(0..<501), list(1..<502)) == ["~ "])
        // A long list with one other item is no such case.
        #expect(lines(list(0..<501), list(Array(0..<500) + [7])) == ["~ [500]"])
    }

    @Test func anotherTypeIsADifference() {
        #expect(lines(.dictionary(["a": .integer(1)]), .dictionary(["a": .real(1)])) == ["~ a"])
        #expect(lines(.dictionary(["a": .array([])]), .dictionary(["a": .dictionary([:])])) == ["~ a"])
    }

    @Test func keysWithDotsAndBracketsStayOneKey() {
        #expect(lines(.dictionary([:]), .dictionary(["a.b[0]": .integer(1)])) == ["+ \"a.b[0]\""])
    }
}
