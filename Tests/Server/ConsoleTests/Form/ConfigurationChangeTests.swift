import InputBounds
import JSONSchema
import Testing

@testable import Console

/// What becomes of two people's changes to one configuration.
@Suite("Changes of two people")
struct ConfigurationChangeTests {
    private let base: PropertyListValue = .dictionary([
        "title": .string("a"), "port": .integer(1), "old": .boolean(true),
        "inner": .dictionary(["x": .integer(1), "y": .integer(2)]), "list": .array([.integer(1), .integer(2)]),
    ])

    private func changed(
        _ changes: [String: PropertyListValue], without gone: String? = nil
    ) -> PropertyListValue {
        var entries = base.dictionary ?? [:]
        entries.merge(changes) { _, new in new }
        if let gone { entries[gone] = nil }
        return .dictionary(entries)
    }

    @Test("to different keys are both taken")
    func mergesBoth() {
        let mine = changed(["title": .string("mine"), "inner": .dictionary(["x": .integer(9), "y": .integer(2)])])
        let theirs = changed(["port": .integer(2), "inner": .dictionary(["x": .integer(1)])])
        for side in [ConfigurationMerge.Side.mine, .theirs] {
            let merge = ConfigurationMerge(base: base, mine: mine, theirs: theirs, preferring: side)
            #expect(!merge.conflicts)
            #expect(
                merge.merged
                    == changed([
                        "title": .string("mine"), "port": .integer(2), "inner": .dictionary(["x": .integer(9)]),
                    ]))
            #expect(merge.steps.map(\.path.description) == ["inner.x", "inner.y", "port", "title"])
            #expect(merge.steps.map(\.outcome) == [.mine, .theirs, .theirs, .mine])
        }
    }

    @Test("to the same key are a conflict, in which nobody's value is lost")
    func conflicts() {
        let mine = changed(["title": .string("mine"), "port": .integer(5)])
        let theirs = changed(["title": .string("theirs"), "port": .integer(5)])
        let own = ConfigurationMerge(base: base, mine: mine, theirs: theirs, preferring: .mine)
        #expect(own.conflicts)
        #expect(own.steps.map(\.outcome) == [.both, .conflict])
        #expect(own.steps.last?.mine == .string("mine") && own.steps.last?.theirs == .string("theirs"))
        #expect(own.merged["title"] == .string("mine"))
        let other = ConfigurationMerge(base: base, mine: mine, theirs: theirs, preferring: .theirs)
        #expect(other.merged["title"] == .string("theirs"))
        #expect(other.merged["port"] == .integer(5))
    }

    @Test("of which one takes a key away and the other changes it are a conflict, too")
    func removal() {
        let merge = ConfigurationMerge(
            base: base, mine: changed([:], without: "old"), theirs: changed(["old": .boolean(false)]),
            preferring: .mine)
        #expect(merge.steps.map(\.outcome) == [.conflict])
        #expect(merge.merged == changed([:], without: "old"))
    }
}
